#pragma once

// What exercises of several processes and their tests use, beside kit.hpp: threads as processes.

#include <cstring>

#include "distributed/mailboxes.hpp"
#include "support/kit.hpp"
#include "tensor/parallel.hpp"

namespace xf::exercise {

// What they have at the end, and what went from one to another.
struct Ran {
  Tensor numbers;  // (n, N), a row a process
  std::vector<Letter> letters;
};

// Runs body(self, x) on n processes; x is a process's row of `numbers`, which it may change.
//   numbers: (n, N)
template <class Body>
Ran as_processes(const Tensor& numbers, Delivery delivery, const Body& body) {
  set_threads(1);  // a process of these is one
  std::vector<float> all = numbers.values();
  const int n = numbers.size(0), count = numbers.size(1);
  std::vector<Letter> letters = run_threads_as_processes(
      n,
      [&](Endpoint& self) {
        body(self, std::span(all).subspan(std::size_t(self.rank() * count), std::size_t(count)));
      },
      delivery);
  return {Tensor::from(numbers.shape(), all), std::move(letters)};
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
