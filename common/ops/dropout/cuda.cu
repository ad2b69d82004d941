#include "cuda/each.hpp"
#include "ops/dropout/bits.hpp"
#include "ops/dropout/kernels.hpp"

namespace xf::kernel {

namespace {

struct Drop {
  DropoutMask mask;
  __device__ float operator()(std::ptrdiff_t i, float x) const { return x * mask.factor(i); }
};

}  // namespace

template <>
void dropout(Cuda, const float* x, float p, std::uint64_t key, float* y, std::ptrdiff_t count) {
  cuda::for_each("drop_each", count, Drop{DropoutMask(p, key)}, y, x);
}

}  // namespace xf::kernel
