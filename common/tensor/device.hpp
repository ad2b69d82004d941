#pragma once

#include <stdexcept>
#include <string>

namespace xf {

enum class Device { cpu, cuda };

inline std::string name(Device device) { return device == Device::cpu ? "cpu" : "cuda"; }

// Tags that select a kernel's specialisation. Each kernel is declared once, as a template over the
// tag, and specialised in cpu.cpp; one that a device lacks is an error of the linker.
struct Cpu {
  static constexpr Device device = Device::cpu;
};
struct Cuda {
  static constexpr Device device = Device::cuda;
};

// Was the CUDA path built in?
constexpr bool built_with_cuda() {
#ifdef XF_CUDA
  return true;
#else
  return false;
#endif
}

// Calls `kernel(Cpu{})` or `kernel(Cuda{})`. This is the only place where the code asks whether
// the CUDA path was built. Throws std::invalid_argument for a device that was not.
template <class Kernel>
decltype(auto) dispatch(Device device, Kernel&& kernel) {
#ifdef XF_CUDA
  if (device == Device::cuda) return kernel(Cuda{});
#endif
  if (device != Device::cpu)
    throw std::invalid_argument("device: cuda is not built into this program");
  return kernel(Cpu{});
}

}  // namespace xf
