#include <cmath>

#include "tensor/vector_math.hpp"
#include "train/exchange/chunks.hpp"
#include "train/kernels.hpp"

namespace xf::kernel {

namespace {

void update(const AdamRates& r, float left, const float* g, float* m, float* v, float* w,
            std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const float gradient = g[i] * r.scale;
    m[i] = r.beta1 * m[i] + (1 - r.beta1) * gradient;
    v[i] = r.beta2 * v[i] + (1 - r.beta2) * gradient * gradient;
    w[i] = left * w[i] -
           r.step_size * m[i] / (std::sqrt(v[i]) * r.inverse_root_correction + r.epsilon);
  }
}

}  // namespace

template <>
void adam(Cpu, const AdamRates& rates, std::span<const AdamPart> parts) {
  const std::vector<Chunk> list = chunks(parts);
  for_each_chunk(list, [&](std::size_t i) {
    const auto [p, first, count] = list[i];
    const AdamPart& part = parts[p];
    update(rates, part.left, part.gradient + first, part.m + first, part.v + first, part.w + first,
           count);
  });
}

}  // namespace xf::kernel
