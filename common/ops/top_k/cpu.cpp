#include <algorithm>
#include <cmath>

#include "ops/top_k/kernels.hpp"
#include "tensor/parallel.hpp"
#include "tensor/vector_math.hpp"

namespace xf::kernel {

namespace {

constexpr int at_once = 64;

// found[0 ... count) is sorted. Inserts `next`, which comes after all of them in the row; if there
// are already k, the last and smallest one is dropped.
void insert(Placed next, Placed* found, int& count, int k) {
  int i = count < k ? count++ : k - 1;
  for (; i > 0 && next.value > found[i - 1].value; --i) found[i] = found[i - 1];
  found[i] = next;
}

// Most elements are not candidates: a block is skipped if its largest one is not.
void top_of_row(const float* row, int k, Placed* found, int columns) {
  int count = 0;
  float least = -INFINITY;  // once k are found, a candidate must exceed this
  const auto passes = [&](float value) { return count < k || value > least; };
  for (int first = 0; first < columns; first += at_once) {
    const int size = std::min(at_once, columns - first);
    if (!passes(largest(size, [=](int i) { return row[first + i]; }))) continue;
    for (int v = first; v < first + size; ++v) {
      if (!passes(row[v])) continue;
      insert({std::isnan(row[v]) ? -INFINITY : row[v], v}, found, count, k);
      least = found[count - 1].value;
    }
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
