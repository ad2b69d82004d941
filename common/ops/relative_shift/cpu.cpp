#include <algorithm>

#include "ops/relative_shift/kernels.hpp"
#include "tensor/parallel.hpp"

namespace xf::kernel {

namespace {

// Calls body(matrix) for the matrices of the stack, split over the threads.
template <class Body>
void each_matrix(std::ptrdiff_t batch, std::ptrdiff_t size, const Body& body) {
  const std::ptrdiff_t grain = std::max<std::ptrdiff_t>(1, (1 << 15) / (size + 1));
  parallel_for(batch, grain, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t n = first; n < last; ++n) body(n * size);
  });
}

}  // namespace

// Row by row: the part of row i that is kept, a zero, then the first t-2-i elements of row i+1.
template <>
void relative_shift(Cpu, const float* x, float* y, std::ptrdiff_t batch, int t, int s) {
  each_matrix(batch, std::ptrdiff_t(t) * s, [=](std::ptrdiff_t offset) {
    const float* from = x + offset;
    float* to = y + offset;
    for (int i = 0; i < t; ++i, from += s) {
      const int skipped = t - 1 - i;
      to = std::copy(from + skipped, from + s, to);
      if (skipped == 0) continue;
      *to++ = 0;
      to = std::copy_n(from + s, skipped - 1, to);
    }
  });
}

// The same walk; each element of dy goes back to where y took it from.
template <>
void relative_shift_backward(Cpu, const float* dy, float* dx, std::ptrdiff_t batch, int t, int s) {
  each_matrix(batch, std::ptrdiff_t(t) * s, [=](std::ptrdiff_t offset) {
    const float* from = dy + offset;
    float* to = dx + offset;
    std::fill_n(to, t - 1, 0.0f);  // y has no place for the first t-1 elements of row 0
    for (int i = 0; i < t; ++i, to += s) {
      const int skipped = t - 1 - i;
      std::copy_n(from, s - skipped, to + skipped);
      from += s - skipped;
      if (skipped == 0) continue;
      ++from;
      std::copy_n(from, skipped - 1, to + s);
      from += skipped - 1;
    }
  });
}

}  // namespace xf::kernel
