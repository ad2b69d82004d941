#pragma once

// What exercises of several processes and their tests use, in addition to kit.hpp: processes that
// share nothing but their messages.

#include <concepts>
#include <cstring>

#include "distributed/mailboxes.hpp"
#include "support/kit.hpp"
#include "support/once.hpp"

namespace xf::exercise {

// The numbers of the processes before and after a run, and what they sent to each other.
struct Ran {
  Tensor before;                // (n, N), a row per process: the initial numbers
  Tensor numbers;               // (n, N), the final numbers
  std::vector<float> returned;  // by the body, one number per process; 0 if it returns nothing
  std::vector<Letter> letters;
  std::vector<std::vector<float>> sent;  // the numbers that each process has sent
};

// Runs a body on each of n processes, forked from this one, so that none sees what another writes
// to its memory. x is the process's row, which it may change; the rows are created after all have
// been forked, so that no process has another's. Messages pass through this process. Exceptions are
// rethrown here, as in run_threads_as_processes(); a process that is killed takes this one with it.
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

// The number of columns that do not hold the same bits in every row.
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
