#include <algorithm>
#include <cstddef>

#include "ops/heads/kernels.hpp"
#include "tensor/parallel.hpp"

namespace xf::kernel {

namespace {

// A loop instead of memcpy: for so few numbers the call costs more than the copy.
void copy(const float* from, float* to, int count) {
#pragma omp simd
  for (int i = 0; i < count; ++i) to[i] = from[i];
}

}  // namespace

template <>
void swap_middle_axes(Cpu, const float* x, const Output& to, int batch, int t, int h, int d_k) {
  float* const y = to.data;
  const std::ptrdiff_t block = std::ptrdiff_t(t) * h * d_k;
  const std::ptrdiff_t grain = std::max<std::ptrdiff_t>(1, (1 << 15) / (block + 1));
  parallel_for(batch, grain, [=](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t b = first; b < last; ++b)
      for (int i = 0; i < h; ++i)
        for (int j = 0; j < t; ++j)
          copy(x + b * block + (std::ptrdiff_t(j) * h + i) * d_k,
               y + b * block + (std::ptrdiff_t(i) * t + j) * d_k, d_k);
  });
}

}  // namespace xf::kernel
