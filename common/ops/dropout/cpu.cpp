#include <algorithm>

#include "ops/dropout/bits.hpp"
#include "ops/dropout/kernels.hpp"
#include "tensor/parallel.hpp"

namespace xf::kernel {

namespace {

constexpr int half = dropout_half, block = dropout_block;

// Drops out one block. Elements i and i + half share hash((start + i) ^ salt): its low 16 bits
// decide on the former, its high 16 bits on the latter.
void drop(const float* x, const DropoutMask& mask, std::uint32_t start, float* y) {
  const std::uint32_t threshold = mask.threshold, salt = mask.salt;
  const float kept = mask.kept;
#pragma omp simd
  for (int i = 0; i < half; ++i) {
    const std::uint32_t bits = hash((start + static_cast<std::uint32_t>(i)) ^ salt);
    y[i] = x[i] * ((bits & 0xffffu) < threshold ? 0.0f : kept);
    y[i + half] = x[i + half] * ((bits >> 16) < threshold ? 0.0f : kept);
  }
}

}  // namespace

template <>
void dropout(Cpu, const float* x, float p, std::uint64_t key, const Output& to,
             std::ptrdiff_t count) {
  float* const y = to.data;
  const DropoutMask mask(p, key);
  const std::ptrdiff_t blocks = (count + block - 1) / block;
  parallel_for(blocks, 32, [=](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t b = first; b < last; ++b) {
      const std::uint32_t start = mask.low + static_cast<std::uint32_t>(b) * half;
      if ((b + 1) * block <= count) {
        drop(x + b * block, mask, start, y + b * block);
      } else {  // the remainder, through a buffer of one block
        const std::ptrdiff_t rest = count - b * block;
        float from[block] = {}, dropped[block];
        std::copy_n(x + b * block, rest, from);
        drop(from, mask, start, dropped);
        std::copy_n(dropped, rest, y + b * block);
      }
    }
  });
}

}  // namespace xf::kernel
