#include <algorithm>
#include <cmath>

#include "ops/top_k/kernels.hpp"
#include "tensor/parallel.hpp"
#include "tensor/vector_math.hpp"

namespace xf::kernel {

namespace {

constexpr int at_once = 64;

// found[0 ... count) is in order; `next`, which stands behind all of them in the row, comes in, and
// where there are k already, the last one goes.
void insert(Placed next, Placed* found, int& count, int k) {
  if (count == k && !(next.value > found[k - 1].value)) return;
  int i = count < k ? count++ : k - 1;
  for (; i > 0 && next.value > found[i - 1].value; --i) found[i] = found[i - 1];
  found[i] = next;
}

// Most numbers are no candidates at all: many are passed over by their largest.
void top_of_row(const float* row, int k, Placed* found, int columns) {
  int count = 0;
  for (int first = 0; first < columns; first += at_once) {
    const int size = std::min(at_once, columns - first);
    const float highest = largest(size, [=](int i) { return row[first + i]; });
    if (count == k && !(highest > found[k - 1].value)) continue;
    for (int v = first; v < first + size; ++v)
      insert({std::isnan(row[v]) ? -INFINITY : row[v], v}, found, count, k);
  }
}

}  // namespace

template <>
void top_k(Cpu, const float* x, int k, Placed* found, std::ptrdiff_t rows, int columns) {
  parallel_for(rows, 1 + (1 << 17) / columns, [=](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t r = first; r < last; ++r)
      top_of_row(x + r * columns, k, found + r * k, columns);
  });
}

}  // namespace xf::kernel
