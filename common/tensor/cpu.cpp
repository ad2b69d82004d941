#include <algorithm>

#include "tensor/kernels.hpp"
#include "tensor/parallel.hpp"

namespace xf::kernel {

template <>
void prepare(Cpu) {}

template <>
void copy(Cpu, const float* from, float* to, std::ptrdiff_t count) {
  std::copy_n(from, count, to);
}

template <>
void upload(Cpu on, const float* host, float* to, std::ptrdiff_t count) {
  copy(on, host, to, count);
}

template <>
std::shared_ptr<const std::int32_t> mirrored(Cpu, std::span<const std::int32_t> host) {
  return {std::shared_ptr<const std::int32_t>(), host.data()};  // host and device are the same
}

template <>
void download(Cpu on, const float* from, float* host, std::ptrdiff_t count) {
  copy(on, from, host, count);
}

template <>
void fill(Cpu, float* x, float value, std::ptrdiff_t count) {
  std::fill_n(x, count, value);
}

template <>
void add_to(Cpu, float* sum, const float* x, std::ptrdiff_t count) {
  parallel_for(count, 1 << 16, [=](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t i = first; i < last; ++i) sum[i] += x[i];
  });
}

}  // namespace xf::kernel
