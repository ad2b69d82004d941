#include <algorithm>
#include <cmath>
#include <cstddef>

#include "ops/rms_norm/kernels.hpp"
#include "ops/rows.hpp"
#include "tensor/vector_math.hpp"

namespace xf::kernel {

template <>
void rms_norm(Cpu, const float* x, const float* gamma, float eps, float* y, float* inverses,
              int rows, int columns) {
  for_each_row(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    const float* from = x + start;
    float* to = y + start;
    const float squares = sum_over(columns, [=](std::ptrdiff_t j) { return from[j] * from[j]; });
    const float inverse = 1 / std::sqrt(squares / float(columns) + eps);
    for (int j = 0; j < columns; ++j) to[j] = gamma[j] * (from[j] * inverse);
    inverses[r] = inverse;
  });
}

template <>
void rms_norm_backward(Cpu, const float* x, const float* gamma, const float* inverses,
                       const float* dy, float* dx, int rows, int columns) {
  for_each_row(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    const float *from = x + start, *up = dy + start;
    float* to = dx + start;
    const float inverse = inverses[r];
    const float products =
        sum_over(columns, [=](std::ptrdiff_t j) { return gamma[j] * up[j] * (from[j] * inverse); });
    const float mean = products / float(columns);
#pragma omp simd
    for (int j = 0; j < columns; ++j)
      to[j] = (gamma[j] * up[j] - from[j] * inverse * mean) * inverse;
  });
}

// Each column is summed in the order of the rows, whatever the number of threads.
template <>
void rms_norm_weights(Cpu, const float* x, const float* inverses, const float* dy, float* dgamma,
                      int rows, int columns) {
  parallel_for(columns, std::max(16, (1 << 15) / (rows + 1)),
               [=](std::ptrdiff_t first, std::ptrdiff_t last) {
                 std::fill(dgamma + first, dgamma + last, 0.0f);
                 for (std::ptrdiff_t r = 0; r < rows; ++r)
                   for (std::ptrdiff_t j = first; j < last; ++j)
                     dgamma[j] += dy[r * columns + j] * (x[r * columns + j] * inverses[r]);
               });
}

}  // namespace xf::kernel
