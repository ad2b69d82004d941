#include "ops/top_k/top_k.hpp"

#include <algorithm>
#include <cmath>

#include "autograd/tape.hpp"
#include "ops/check.hpp"
#include "ops/top_k/kernels.hpp"

namespace xf {

namespace {

void sort_row(const float* row, int k, Placed* found, int columns) {
  std::vector<Placed> all;
  for (int v = 0; v < columns; ++v) all.push_back({std::isnan(row[v]) ? -INFINITY : row[v], v});
  std::partial_sort_copy(all.begin(), all.end(), found, found + k,
                         [](const Placed& a, const Placed& b) {
                           return a.value != b.value ? a.value > b.value : a.index < b.index;
                         });
}

}  // namespace

std::vector<Placed> top_k(const Tensor& x, int k) {
  require(k >= 1 && x.rank() >= 1 && x.size(-1) >= 1, "top_k", [&] {
    return "at least one number of a row wanted, not " + std::to_string(k) + " of " +
           x.shape().str();
  });
  const int columns = x.size(-1), count = std::min(k, columns), rows = x.shape().rows();
  std::vector<Placed> found(static_cast<std::size_t>(rows) * static_cast<std::size_t>(count));
  if (count > kernel::max_k) {
    const Values all = x.values();
    for (std::ptrdiff_t r = 0; r < rows; ++r)
      sort_row(all.begin() + r * columns, count, found.data() + r * count, columns);
  } else {
    dispatch(x.device(),
             [&](auto on) { kernel::top_k(on, x.data(on), count, found.data(), rows, columns); });
  }
  if (tape_observer) {
    std::vector<float> numbers;
    for (const Placed& one : found) numbers.push_back(one.value);
    report(Op{"top_k", "the k largest numbers of each row"}, Tensor::from({rows, count}, numbers),
           {&x});
  }
  return found;
}

}  // namespace xf
