#include "cuda/launch.hpp"
#include "cuda/mirror.hpp"
#include "tensor/kernels.hpp"
#include "tensor/storage.hpp"

namespace xf {

void Storage::take(Cuda) { data_ = cuda::allocate(bytes_); }

void Storage::give(Cuda) noexcept { cuda::release(data_, bytes_); }

}  // namespace xf

namespace xf::kernel {

namespace {

__global__ void fill_each(float* x, float value, std::ptrdiff_t count) {
  const std::ptrdiff_t i = cuda::thread_number();
  if (i < count) x[i] = value;
}

__global__ void add_to_each(float* sum, const float* x, std::ptrdiff_t count) {
  const std::ptrdiff_t i = cuda::thread_number();
  if (i < count) sum[i] += x[i];
}

std::size_t bytes(std::ptrdiff_t count) { return static_cast<std::size_t>(count) * sizeof(float); }

}  // namespace

template <>
void prepare(Cuda) {
  cuda::require_device();
}

template <>
void copy(Cuda, const float* from, float* to, std::ptrdiff_t count) {
  cuda::copy_on_device(to, from, bytes(count));
}

template <>
void upload(Cuda, const float* host, float* to, std::ptrdiff_t count) {
  cuda::copy_to_device(to, host, bytes(count));
}

template <>
std::shared_ptr<const std::int32_t> mirrored(Cuda, std::span<const std::int32_t> host) {
  return cuda::mirrored(host);
}

template <>
void download(Cuda, const float* from, float* host, std::ptrdiff_t count) {
  cuda::copy_to_host(host, from, bytes(count));
}

template <>
void fill(Cuda, float* x, float value, std::ptrdiff_t count) {
  cuda::launch(cuda::one_thread_each("fill_each", count), fill_each, x, value, count);
}

template <>
void add_to(Cuda, float* sum, const float* x, std::ptrdiff_t count) {
  cuda::launch(cuda::one_thread_each("add_to_each", count), add_to_each, sum, x, count);
}

}  // namespace xf::kernel
