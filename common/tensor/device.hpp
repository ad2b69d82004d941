#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "tensor/arithmetic.hpp"

namespace xf {

enum class Device { cpu, cuda };

// The name that --device uses. In a program Device::cuda is either a GPU or the emulator, which
// runs the same kernels on the CPU (common/cuda/emulator.hpp).
inline std::string name(Device device) {
#ifdef XF_EMULATOR
  constexpr const char* cuda = "cuda-emulated";
#else
  constexpr const char* cuda = "cuda";
#endif
  return device == Device::cpu ? "cpu" : cuda;
}

// The device of tensors that are created without one, such as parameters. Set once, when the flags
// are parsed. Throws when the device cannot be used.
Device default_device();
void set_default_device(Device device);

// Tags that select a kernel's specialisation. Each kernel is declared once, as a template over the
// tag, and specialised in cpu.cpp and cuda.cu; a missing specialisation is a link error.
// The CPU has two tags, one for each arithmetic; code that only reads data takes any Cpu.
struct Cpu {
  static constexpr Device device = Device::cpu;
};
struct SameCpu : Cpu {};
struct FastCpu : Cpu {};
struct Cuda {
  static constexpr Device device = Device::cuda;
};

namespace kernel {

// The tag for which a cpu.cpp specialises its kernels.
#ifdef XF_FAST
using Cpu = FastCpu;
constexpr bool is_fast = true;
#else
using Cpu = SameCpu;
constexpr bool is_fast = false;
#endif

// A kernel's input: the data of a whole tensor, and where another form of it is kept
// (Storage::form()).
struct Input {
  const float* data;
  std::shared_ptr<void>* form = nullptr;

  Input(const float* numbers, std::shared_ptr<void>* place = nullptr)
      : data(numbers), form(place) {}
  operator const float*() const { return data; }
};
// A kernel's output, and where another form of it may be kept.
struct Output {
  float* data;
  std::shared_ptr<void>* form = nullptr;

  Output(float* numbers, std::shared_ptr<void>* place = nullptr) : data(numbers), form(place) {}
};

}  // namespace kernel

// Whether this device was built in.
constexpr bool built_with_cuda() {
#ifdef XF_CUDA
  return true;
#else
  return false;
#endif
}
constexpr bool built_with_emulator() {
#ifdef XF_EMULATOR
  return true;
#else
  return false;
#endif
}

// Calls `kernel(SameCpu{})` or `kernel(FastCpu{})`, depending on the arithmetic in use.
template <class Kernel>
decltype(auto) dispatch_on_host(Kernel&& kernel) {
#ifdef XF_HAS_FAST
  if (arithmetic() == Arithmetic::fast) return kernel(FastCpu{});
#endif
  return kernel(SameCpu{});
}

// Calls `kernel(Cuda{})` or one of the CPU's. This is the only place where the code asks whether
// the CUDA kernels were built. Throws std::invalid_argument for a device that was not built in.
template <class Kernel>
decltype(auto) dispatch(Device device, Kernel&& kernel) {
#if defined(XF_CUDA) || defined(XF_EMULATOR)
  if (device == Device::cuda) return kernel(Cuda{});
#endif
  if (device != Device::cpu)
    throw std::invalid_argument("device: cuda is not built into this program");
  return dispatch_on_host(kernel);
}

}  // namespace xf
