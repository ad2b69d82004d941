#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/device_memory.hpp"
#include "cuda/emulator.hpp"
#include "cuda/watcher.hpp"

namespace xf::watch {

// The kind of memory to which an address used by a kernel belongs.
enum class Memory { device, shared, elsewhere };

inline bool lies_in(const emulator::Stretch& stretch, const void* place) {
  return reinterpret_cast<std::uintptr_t>(place) - reinterpret_cast<std::uintptr_t>(stretch.first) <
         stretch.bytes;
}

inline Memory memory_of(const void* place) {
  if (cuda::on_device(place)) return Memory::device;
  if (lies_in(emulator::static_shared(), place) || lies_in(emulator::dynamic_shared(), place))
    return Memory::shared;
  return Memory::elsewhere;
}

// Stops the kernel if its running thread writes to memory elsewhere, or reads anything there that
// is neither a constant nor its own.
void check_elsewhere(const void* place, bool write);

}  // namespace xf::watch
