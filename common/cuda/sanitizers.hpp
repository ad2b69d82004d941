#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define XF_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define XF_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef XF_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// Tells AddressSanitizer about memory and stacks that it does not know; does nothing without it.
namespace xf::sanitizers {

#ifdef XF_ADDRESS_SANITIZER

inline void allow(const void* first, std::size_t bytes) {
  __asan_unpoison_memory_region(first, bytes);
}
inline void forbid(const void* first, std::size_t bytes) {
  __asan_poison_memory_region(first, bytes);
}

// Alive while another stack is in use: made before the switch to it, destroyed after that back.
class FiberSwitch {
 public:
  // Announces the switch to this stack; null: the program's own.
  FiberSwitch(const void* stack, std::size_t bytes) {
    __sanitizer_start_switch_fiber(&own_, stack ? stack : programs_stack,
                                   stack ? bytes : programs_bytes);
  }
  ~FiberSwitch() { __sanitizer_finish_switch_fiber(own_, nullptr, nullptr); }
  FiberSwitch(const FiberSwitch&) = delete;
  FiberSwitch& operator=(const FiberSwitch&) = delete;

  // Call this first on a new stack; the first call also records the program's own stack.
  static void arrive() {
    const void* from;
    std::size_t bytes;
    __sanitizer_finish_switch_fiber(nullptr, &from, &bytes);
    if (!programs_stack) programs_stack = from, programs_bytes = bytes;
  }

 private:
  inline static const void* programs_stack = nullptr;
  inline static std::size_t programs_bytes = 0;
  void* own_ = nullptr;
};

#else

inline void allow(const void*, std::size_t) {}
inline void forbid(const void*, std::size_t) {}

struct FiberSwitch {
  FiberSwitch(const void*, std::size_t) {}
  ~FiberSwitch() {}
  static void arrive() {}
};

#endif

}  // namespace xf::sanitizers
