#pragma once

#include <memory>

namespace xf::cuda {

// While one lives, the emulator sees every access of the kernels that are compiled for it
// (common/CMakeLists.txt), and stops them, as BrokenKernel, at what a GPU would do silently:
//
//   - an access outside every block of device memory, and outside what the kernel has of shared
//     memory, be it by one number;
//   - a read of device or shared memory that nobody has written to;
//   - two threads that use one number, at least one of them writing, and nothing orders them:
//   within
//     a block a barrier, within a warp __syncwarp(), between blocks of one launch a __threadfence()
//     of the writer's, then an atomic of its that an atomic of the reader's has seen. Two atomics
//     need no order;
//   - more shared memory than a block has, static and dynamic together;
//   - copies of the host that are longer than a block of memory.
//
// Blocks of memory that are older than this are not known to it.
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
