#include "cuda/each.hpp"
#include "ops/dropout/bits.hpp"
#include "ops/dropout/kernels.hpp"
#include "ops/matmul/cuda_bf16.hpp"

namespace xf::kernel {

namespace {

struct Drop {
  DropoutMask mask;
  __device__ float operator()(std::ptrdiff_t i, float x) const { return x * mask.factor(i); }
};

}  // namespace

template <>
void dropout(Cuda, const float* x, float p, std::uint64_t key, const Output& y,
             std::ptrdiff_t count) {
  cuda::for_each("drop_each", count, Drop{DropoutMask(p, key)}, written(y, count), x);
}

}  // namespace xf::kernel
