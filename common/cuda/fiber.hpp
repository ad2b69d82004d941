#pragma once

// With _FORTIFY_SOURCE, glibc would report a jump between two stacks as an error.
#undef _FORTIFY_SOURCE
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "cuda/sanitizers.hpp"

namespace xf::emulator {

inline constexpr std::size_t stack_bytes = 256 << 10;  // reserved; only what is used takes memory
inline constexpr std::size_t max_fibers = 2048;        // a block has at most half as many threads
inline constexpr std::size_t shift = 7 * 64,
                             shifts = 128;  // stacks are staggered in the caches, see Fiber

// A stack on which a thread of the block runs. As is usual for fibers, makecontext() enters it the
// first time and longjmp() afterwards, which needs no system call. Stacks begin at different
// offsets within a page, because otherwise they would compete for a few cache lines. All stacks
// share one address range, in which fiber `number` has a fixed place.
class Fiber {
 public:
  Fiber(void (*body)(), std::size_t number) : stack_(stacks() + number * stack_bytes) {
    if (number >= max_fibers) throw std::bad_alloc();
    getcontext(&first_);
    first_.uc_stack.ss_sp = stack_;
    first_.uc_stack.ss_size = stack_bytes - number % shifts * shift;
    first_.uc_link = nullptr;
    makecontext(&first_, body, 0);
  }
  Fiber() = default;  // the stack of the program itself
  ~Fiber() {
    if (!stack_) return;
    sanitizers::allow(stack_, stack_bytes);
    madvise(stack_, stack_bytes, MADV_DONTNEED);
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Switches from this running fiber to `other`; returns when a fiber switches back to it.
  void switch_to(Fiber& other) {
    sanitizers::FiberSwitch announced(other.stack_, other.stack_ ? stack_bytes : 0);
    if (_setjmp(place_) == 0) other.enter();
  }

  static bool holds(const void* place) {
    return reinterpret_cast<std::uintptr_t>(place) - reinterpret_cast<std::uintptr_t>(stacks()) <
           max_fibers * stack_bytes;
  }

 private:
  static unsigned char* stacks() {
    static void* const all = mmap(nullptr, max_fibers * stack_bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    return static_cast<unsigned char*>(all);
  }

  [[noreturn]] void enter() {
    if (stack_ && !entered_) {
      entered_ = true;
      setcontext(&first_);
    }
    _longjmp(place_, 1);
  }

  unsigned char* stack_ = nullptr;
  bool entered_ = false;
  ucontext_t first_;
  jmp_buf place_;
};

}  // namespace xf::emulator
