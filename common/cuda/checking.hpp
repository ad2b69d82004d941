#pragma once

#include <memory>

namespace xf::cuda {

// While one is alive, the emulator checks every access of the kernels that are compiled for it
// (common/CMakeLists.txt) and throws BrokenKernel for errors that a GPU would not report:
//
//   - an access outside every block of device memory and outside the kernel's shared memory, even
//     by one element;
//   - a read of uninitialised device or shared memory;
//   - a data race: two threads access the same number, at least one of them writes, and the
//     accesses are not ordered by a block barrier, by __syncwarp() within a warp, or, between
//     blocks of one launch, by the writer's __threadfence() followed by an atomic that an atomic of
//     the reader has observed. Two atomics need no order;
//   - more shared memory, static plus dynamic, than a block has;
//   - copies by the host that extend beyond a block of memory.
//
// Blocks of memory allocated before this object was constructed are unknown to it.
class Checking {
 public:
  Checking();
  ~Checking();
  Checking(const Checking&) = delete;
  Checking& operator=(const Checking&) = delete;

 private:
  class Checker;
  std::unique_ptr<Checker> checker_;
};

}  // namespace xf::cuda
