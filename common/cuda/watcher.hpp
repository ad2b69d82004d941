#pragma once

#include <cstddef>

namespace xf::emulator {

struct Grid;

// An observer of the emulated device. The accesses and the basic blocks come from kernels that are
// compiled for it (cuda/watch); all the rest from every emulator.
class Watcher {
 public:
  virtual ~Watcher() = default;

  // ---- the host ---------------------------------------------------------------------------------
  virtual void allocated(void* /*block*/, std::size_t /*bytes*/) {}
  virtual void released(void* /*block*/, std::size_t /*bytes*/) {}
  enum class Copy { to_device, to_host, on_device };
  virtual void copied(Copy, const void* /*to*/, const void* /*from*/, std::size_t /*bytes*/) {}
  // What a library's kernel, which is not ours, reads and writes.
  virtual void library_reads(const void* /*first*/, std::size_t /*bytes*/) {}
  virtual void library_writes(const void* /*first*/, std::size_t /*bytes*/) {}

  // ---- a kernel; where its running thread stands, threadIdx and blockIdx say --------------------
  virtual void kernel_begins(const Grid&) {}
  virtual void kernel_ends() {}  // or breaks a rule
  virtual void block_begins(std::size_t /*threads*/) {}
  virtual void block_ends() {}
  virtual void thread_runs(std::size_t /*thread*/) {}  // from now on, until another one does
  virtual void block_meets() {}
  // Lanes of the warp of thread `first`; a shuffle does not order what they do to memory.
  virtual void lanes_meet(std::size_t /*first*/, unsigned /*lanes*/, bool /*orders_memory*/) {}

  // ---- the running thread -----------------------------------------------------------------------
  virtual void access(void* /*place*/, std::size_t /*bytes*/, bool /*write*/,
                      const void* /*site*/) {}
  virtual void enters(const void* /*basic_block*/) {}
  virtual void atomic(void* /*place*/, std::size_t /*bytes*/) {}  // once for reading and writing
  virtual void fences() {}
};

inline Watcher* watcher = nullptr;       // of the whole process, or none
inline Watcher* in_kernel = nullptr;     // the same while a kernel's threads run
inline bool busy = false;                // it handles an event: what it does is not watched
inline const void* in_one_go = nullptr;  // the address of the atomic that is running

// Calls event(watcher) if a kernel is watched. Where it stops the kernel, this never returns.
template <class Event>
void notify(const Event& event) {
  if (!in_kernel || busy) return;
  busy = true;
  event(*in_kernel);
  busy = false;
}

std::size_t running_thread();  // of its block, counted along x, y and z
// The dynamic shared memory of the block, the section of the static one, and the kernel's
// arguments.
struct Stretch {
  const unsigned char* first;
  std::size_t bytes;
};
Stretch dynamic_shared();
Stretch static_shared();
Stretch kernel_arguments();
bool on_fiber(const void* place);  // in the stack of a thread of the block

}  // namespace xf::emulator
