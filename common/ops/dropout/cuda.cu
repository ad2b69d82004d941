#include "cuda/launch.hpp"
#include "ops/dropout/bits.hpp"
#include "ops/dropout/kernels.hpp"

namespace xf::kernel {

namespace {

__global__ void drop_each(const float* x, DropoutMask mask, float* y, std::ptrdiff_t count) {
  const std::ptrdiff_t i = cuda::thread_number();
  if (i < count) y[i] = x[i] * mask.factor(i);
}

}  // namespace

template <>
void dropout(Cuda, const float* x, float p, std::uint64_t key, float* y, std::ptrdiff_t count) {
  cuda::launch(cuda::one_thread_each("drop_each", count), drop_each, x, DropoutMask(p, key), y,
               count);
}

}  // namespace xf::kernel
