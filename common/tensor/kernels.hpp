#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tensor/device.hpp"

namespace xf::kernel {

// Called before the first tensor on a device. Throws if it does not exist or cannot be used.
template <class On>
void prepare(On);
// Copies within a device's memory, from the host to it, and from it to the host.
template <class On>
void copy(On, const float* from, float* to, std::ptrdiff_t count);
template <class On>
void upload(On, const float* host, float* to, std::ptrdiff_t count);
// A copy of host numbers for kernels to read; on the CPU, the numbers themselves.
template <class On>
std::shared_ptr<const std::int32_t> mirrored(On, std::span<const std::int32_t> host);
template <class On>
void download(On, const float* from, float* host, std::ptrdiff_t count);
template <class On>
void fill(On, float* x, float value, std::ptrdiff_t count);
// sum += x.
template <class On>
void add_to(On, float* sum, const float* x, std::ptrdiff_t count);

}  // namespace xf::kernel
