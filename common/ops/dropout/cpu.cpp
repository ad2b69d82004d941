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

}  // namespace

void dropout(Cpu, const float* x, float p, std::uint64_t key, float* y, std::ptrdiff_t count) {
  const auto threshold = static_cast<std::uint32_t>(double(p) * 4294967296.0);
  const float kept = 1 / (1 - p);
  const auto low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
  parallel_for(count, 1 << 15, [=](std::ptrdiff_t first, std::ptrdiff_t last) {
    const int n = static_cast<int>(last - first);
    const auto start = static_cast<std::uint32_t>(first) + low;
    const float* from = x + first;
    float* to = y + first;
    for (int i = 0; i < n; ++i) {
      const std::uint32_t bits = hash((start + static_cast<std::uint32_t>(i)) ^ high);
      to[i] = bits < threshold ? 0.0f : from[i] * kept;
    }
  });
}

}  // namespace xf::kernel
