#pragma once

// What exercises of several processes and their tests use, beside kit.hpp: processes that have
// nothing in common but their messages.

#include <concepts>
#include <cstring>

#include "distributed/mailboxes.hpp"
#include "support/kit.hpp"
#include "support/once.hpp"

namespace xf::exercise {

// What they had and have, and what went from one to another.
struct Ran {
  Tensor before;                // (n, N), a row a process: what they had at the beginning
  Tensor numbers;               // (n, N), what they have at the end
  std::vector<float> returned;  // by the body, a number a process; 0 where it returns nothing
  std::vector<Letter> letters;
  std::vector<std::vector<float>> sent;  // what each process has sent, as numbers
};

// Runs a body on each of n processes, forked from this one: what one writes to its memory no other
// sees. x is its row, which it may change; they are made when all have been forked, so that no
// process has another one's. Their messages go through this one. What they throw is thrown here, as
// run_threads_as_processes() has it; a process that is killed takes this one along.
//   rows: makes a tensor (n, N)
Ran run_as_processes(int n, const std::function<Tensor()>& rows, Delivery delivery,
                     const std::function<float(Endpoint& self, std::span<float> x)>& body);

// The same; a body may return another type of number, or nothing.
template <class Body>
Ran as_processes(int n, const std::function<Tensor()>& rows, Delivery delivery, const Body& body) {
  return run_as_processes(n, rows, delivery, [&](Endpoint& self, std::span<float> x) -> float {
    if constexpr (std::is_void_v<std::invoke_result_t<const Body&, Endpoint&, std::span<float>>>)
      return body(self, x), 0.0f;
    else
      return static_cast<float>(body(self, x));
  });
}

// How many columns do not hold the same bits in every row.
inline Tensor columns_that_differ(const Tensor& numbers) {
  const Values values = numbers.values();
  const int n = numbers.size(0), count = numbers.size(1);
  int differ = 0;
  for (int i = 0; i < count; ++i) {
    bool same = true;
    for (int r = 1; r < n; ++r)
      same &= std::memcmp(&values[i], &values[r * count + i], sizeof(float)) == 0;
    differ += !same;
  }
  return Tensor::full({1}, static_cast<float>(differ));
}

}  // namespace xf::exercise
