#pragma once

// What a kernel does to memory, access by access. The answer to a test that includes this is
// compiled with hooks (HOOKED in tools/exercises/build.py), its exercise.hpp includes
// support/watched_kernels.hpp.

#include "cuda/checking.hpp"
#include "cuda/counts.hpp"
#include "support/kernels.hpp"

namespace xf::exercise {

// What all launches of this kernel ask of a GPU while `run` runs.
template <std::invocable Run>
cuda::KernelCounts counts_of(const std::string& kernel, const Run& run) {
  const cuda::Counting counting;
  run();
  const auto& kernels = counting.so_far().kernels;
  const auto found = kernels.find(kernel);
  return found == kernels.end() ? cuda::KernelCounts() : found->second;
}

// What `run` returns. A number that is read before it is written, or beside a write without a
// barrier between them, and an access beyond all memory end it with a message (cuda/checking.hpp).
template <std::invocable Run>
auto checked(const Run& run) {
  const cuda::Checking checking;
  return run();
}

}  // namespace xf::exercise
