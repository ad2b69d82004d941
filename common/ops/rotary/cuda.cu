#include "cuda/launch.hpp"
#include "ops/rotary/kernels.hpp"

namespace xf::kernel {

namespace {

// One thread per pair.
__global__ void rotate_pairs(const float* x, Turns turns, float* y, std::ptrdiff_t pairs,
                             int columns) {
  const std::ptrdiff_t p = cuda::thread_number();
  if (p >= pairs) return;
  const int half = turns.d_k / 2, in_row = columns / 2;
  const std::ptrdiff_t r = p / in_row;
  const int inner = static_cast<int>(p % in_row), head = inner / half, i = inner % half;
  const std::ptrdiff_t at = r * columns + head * turns.d_k + i;
  const float* const cosines = turns.table + r % turns.positions * turns.d_k;
  const float cosine = cosines[i], sine = turns.direction * cosines[i + half];
  const float a = x[at], b = x[at + half];
  y[at] = a * cosine - b * sine;
  y[at + half] = b * cosine + a * sine;
}

}  // namespace

template <>
void rotate(Cuda, const float* x, const Turns& turns, float* y, std::ptrdiff_t rows, int columns) {
  const std::ptrdiff_t pairs = rows * columns / 2;
  cuda::launch(cuda::one_thread_each("rotate_pairs", pairs), rotate_pairs, x, turns, y, pairs,
               columns);
}

}  // namespace xf::kernel
