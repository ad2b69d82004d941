#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tensor/device.hpp"

namespace xf::kernel {

// Before the first tensor on a device. Throws when there is no such device, or it cannot be used.
template <class On>
void prepare(On);
// Copies within a device's memory, from the host to it, and from it to the host.
template <class On>
void copy(On, const float* from, float* to, std::ptrdiff_t count);
template <class On>
void upload(On, const float* host, float* to, std::ptrdiff_t count);
// The same numbers for kernels to read.
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
