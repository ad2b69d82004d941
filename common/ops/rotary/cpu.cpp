#include "ops/rotary/kernels.hpp"
#include "ops/rows.hpp"

namespace xf::kernel {

template <>
void rotate(Cpu, const float* x, const Turns& turns, float* y, std::ptrdiff_t rows, int columns) {
  const int half = turns.d_k / 2;
  for_each_row(rows, columns, [=](std::ptrdiff_t r, std::ptrdiff_t start) {
    const float* const cosines = turns.table + r % turns.positions * turns.d_k;
    const float* const sines = cosines + half;
    for (std::ptrdiff_t head = start; head < start + columns; head += turns.d_k) {
      const float* const from = x + head;
      float* const to = y + head;
#pragma omp simd
      for (int i = 0; i < half; ++i) {
        const float a = from[i], b = from[i + half], sine = turns.direction * sines[i];
        to[i] = a * cosines[i] - b * sine;
        to[i + half] = b * cosines[i] + a * sine;
      }
    }
  });
}

}  // namespace xf::kernel
