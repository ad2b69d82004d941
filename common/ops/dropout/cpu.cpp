#include <algorithm>

#include "ops/dropout/kernels.hpp"
#include "tensor/parallel.hpp"

namespace xf::kernel {

namespace {

// A 32-bit mixing function of few multiplications (Wellons' lowbias32), which vectorises.
inline std::uint32_t hash(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// Each 32-bit hash decides about two elements, half a block apart, by 16 bits each.
constexpr int half = 512, block = 2 * half;

void dropout_block(const float* x, std::uint32_t threshold, float kept, std::uint32_t start,
                   std::uint32_t salt, float* y) {
#pragma omp simd
  for (int i = 0; i < half; ++i) {
    const std::uint32_t bits = hash((start + static_cast<std::uint32_t>(i)) ^ salt);
    y[i] = x[i] * ((bits & 0xffffu) < threshold ? 0.0f : kept);
    y[i + half] = x[i + half] * ((bits >> 16) < threshold ? 0.0f : kept);
  }
}

}  // namespace

template <>
void dropout(Cpu, const float* x, float p, std::uint64_t key, float* y, std::ptrdiff_t count) {
  const auto threshold = static_cast<std::uint32_t>(double(p) * 65536.0 + 0.5);
  const float kept = 65536.0f / static_cast<float>(65536u - std::min(threshold, 65535u));
  const auto low = static_cast<std::uint32_t>(key), salt = static_cast<std::uint32_t>(key >> 32);
  const std::ptrdiff_t blocks = (count + block - 1) / block;
  parallel_for(blocks, 32, [=](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t b = first; b < last; ++b) {
      const std::uint32_t start = low + static_cast<std::uint32_t>(b) * half;
      if ((b + 1) * block <= count) {
        dropout_block(x + b * block, threshold, kept, start, salt, y + b * block);
      } else {  // the rest, through a buffer of a block's size
        const std::ptrdiff_t rest = count - b * block;
        float from[block] = {}, to[block];
        std::copy_n(x + b * block, rest, from);
        dropout_block(from, threshold, kept, start, salt, to);
        std::copy_n(to, rest, y + b * block);
      }
    }
  });
}

}  // namespace xf::kernel
