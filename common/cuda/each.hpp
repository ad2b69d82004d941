#pragma once

#include <cstdint>

#include "cuda/launch.hpp"
#include "cuda/narrow.hpp"

// Element-wise kernels: y[i] = each(i, x[i], ...).
//
// If all arrays are aligned to 16 bytes, a thread loads and stores four numbers at once, which
// keeps more bytes in flight (docs/results/gpu.md). y may be one of the x.
namespace xf::cuda {

template <class... Number>
constexpr bool begins_at_16_bytes(const Number*... x) {
  return ((reinterpret_cast<std::uintptr_t>(x) % 16 == 0) && ...);
}

template <class Each, class... Four>
__device__ float4 each_of_four(const Each& each, std::ptrdiff_t i, Four... x) {
  return {each(i, x.x...), each(i + 1, x.y...), each(i + 2, x.z...), each(i + 3, x.w...)};
}

template <class Each, class... Number>
__global__ void for_each_number(Each each, std::ptrdiff_t count, int per_thread, Written y,
                                const Number*... x) {
  const std::ptrdiff_t first = thread_number() * per_thread, end = first + per_thread;
  if (per_thread == 4 && end <= count) {
    y.put(first, each_of_four(each, first, *reinterpret_cast<const float4*>(x + first)...));
    return;
  }
  for (std::ptrdiff_t i = first; i < end && i < count; ++i) y.put(i, each(i, x[i]...));
}

// `kernel` is the kernel's name, for messages.
template <class Each, class... Number>
void for_each(const char* kernel, std::ptrdiff_t count, const Each& each, const Written& y,
              const Number*... x) {
  const int per_thread = begins_at_16_bytes(y.data, x...) ? 4 : 1;
  launch(one_thread_each(kernel, (count + per_thread - 1) / per_thread),
         for_each_number<Each, Number...>, each, count, per_thread, y, x...);
}

}  // namespace xf::cuda
