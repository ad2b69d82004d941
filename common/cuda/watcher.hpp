#pragma once

#include <cstddef>

namespace xf::emulator {

struct Grid;

// An observer of the emulated device. Accesses and basic blocks are reported only by kernels
// compiled for it (cuda/watch); all other events by every build of the emulator.
class Watcher {
 public:
  virtual ~Watcher() = default;

  // ---- the host ---------------------------------------------------------------------------------
  virtual void allocated(void* /*block*/, std::size_t /*bytes*/) {}
  virtual void released(void* /*block*/, std::size_t /*bytes*/) {}
  enum class Copy { to_device, to_host, on_device };
  virtual void copied(Copy, const void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) {}
  // What a library's kernel, which is not instrumented, reads and writes.
  virtual void library_reads(const void* /*first*/, std::size_t /*bytes*/) {}
  virtual void library_writes(const void* /*first*/, std::size_t /*bytes*/) {}

  // ---- a kernel; where its running thread stands, threadIdx and blockIdx say --------------------
  virtual void kernel_begins(const Grid&) {}
  virtual void kernel_ends() {}  // or breaks a rule
  virtual void block_begins(std::size_t /*threads*/) {}
  virtual void block_ends() {}
  virtual void thread_runs(std::size_t /*thread*/) {}  // from now on, until another one does
  virtual void block_meets() {}
  // Lanes of the warp of thread `first`; a shuffle does not order their memory accesses.
  virtual void lanes_meet(std::size_t /*first*/, unsigned /*lanes*/, bool /*orders_memory*/) {}

  // ---- the running thread -----------------------------------------------------------------------
  virtual void access(void* /*place*/, std::size_t /*bytes*/, bool /*write*/,
                      const void* /*site*/) {}
  virtual void enters(const void* /*basic_block*/) {}
  virtual void atomic(void* /*place*/, std::size_t /*bytes*/) {}  // one call for read and write
  virtual void fences() {}
};

inline Watcher* watcher = nullptr;       // for the whole process; null: none
inline Watcher* in_kernel = nullptr;     // the same, but only while a kernel's threads run
inline bool busy = false;                // it is handling an event, and must not watch itself
inline const void* in_one_go = nullptr;  // the address of the atomic in progress

// Calls event(watcher) if a kernel is watched. Does not return if the watcher stops the kernel.
template <class Event>
void notify(const Event& event) {
  if (!in_kernel || busy) return;
  busy = true;
  event(*in_kernel);
  busy = false;
}

std::size_t running_thread();  // within its block, counted along x, y and z
// The block's dynamic shared memory, the section of static shared memory, and the kernel's
// arguments.
struct Stretch {
  const unsigned char* first;
  std::size_t bytes;
};
Stretch dynamic_shared();
Stretch static_shared();
Stretch kernel_arguments();
bool on_fiber(const void* place);  // on the stack of a thread of the block?

}  // namespace xf::emulator
