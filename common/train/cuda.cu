#include <cmath>

#include "cuda/each.hpp"
#include "cuda/launch.hpp"
#include "train/exchange/table.hpp"
#include "train/kernels.hpp"

namespace xf::kernel {

namespace {

// The equations of train/adam.hpp for one weight.
__device__ void update(const AdamRates& r, float left, float gradient, float& m, float& v,
                       float& w) {
  gradient *= r.scale;
  m = r.beta1 * m + (1 - r.beta1) * gradient;
  v = r.beta2 * v + (1 - r.beta2) * gradient * gradient;
  w = left * w - r.step_size * m / (sqrtf(v) * r.inverse_root_correction + r.epsilon);
}

// Updates every weight of a stretch, four at a time as in cuda/each.hpp.
__global__ void adam_stretches(AdamRates r, Table table) {
  const Entry& entry = entry_of_block(table);
  const Stretch own = stretch_of_block(entry);
  const auto four = [](float* x, std::ptrdiff_t i) { return reinterpret_cast<float4*>(x + i); };
  const bool by_four = cuda::begins_at_16_bytes(entry.gradient, entry.m, entry.v, entry.w);
  const std::ptrdiff_t fours = by_four ? (own.last - own.first) / 4 : 0;
  for (std::ptrdiff_t n = threadIdx.x; n < fours; n += cuda::threads_of_block()) {
    const std::ptrdiff_t i = own.first + 4 * n;
    const float4 gradient = *reinterpret_cast<const float4*>(entry.gradient + i);
    float4 m = *four(entry.m, i), v = *four(entry.v, i), w = *four(entry.w, i);
    update(r, entry.left, gradient.x, m.x, v.x, w.x);
    update(r, entry.left, gradient.y, m.y, v.y, w.y);
    update(r, entry.left, gradient.z, m.z, v.z, w.z);
    update(r, entry.left, gradient.w, m.w, v.w, w.w);
    *four(entry.m, i) = m;
    *four(entry.v, i) = v;
    *four(entry.w, i) = w;
  }
  for (std::ptrdiff_t i = own.first + 4 * fours + threadIdx.x; i < own.last;
       i += cuda::threads_of_block())
    update(r, entry.left, entry.gradient[i], entry.m[i], entry.v[i], entry.w[i]);
}

}  // namespace

template <>
void adam(Cuda, const AdamRates& rates, std::span<const AdamPart> parts) {
  std::vector<Entry> entries;
  for (const AdamPart& p : parts)
    entries.push_back({p.gradient, p.m, p.v, p.w, p.count, p.left, 0});
  for_each_table(entries, [&](const Table& table, unsigned blocks, unsigned threads) {
    cuda::launch({"adam_stretches", blocks, threads}, adam_stretches, rates, table);
  });
}

}  // namespace xf::kernel
