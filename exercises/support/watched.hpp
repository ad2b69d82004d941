#pragma once

// Watches a kernel's memory accesses one by one. The answer to a test that includes this is
// compiled with hooks (HOOKED in tools/exercises/build.py), and its exercise.hpp includes
// support/watched_kernels.hpp.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cuda/checking.hpp"
#include "cuda/counts.hpp"
#include "cuda/watch/stretches.hpp"
#include "cuda/watcher.hpp"
#include "support/kernels.hpp"

namespace xf::exercise {

// The result of a run, and what it asked of a GPU: all launches, kernel by kernel, and the host's
// copies. A test compares both: a run that skips the work asks for less.
template <class Result>
struct Counted {
  Result result;
  cuda::Counts counts;

  // Summed over all launches of this kernel.
  cuda::KernelCounts of(const std::string& kernel) const {
    const auto found = counts.kernels.find(kernel);
    return found == counts.kernels.end() ? cuda::KernelCounts() : found->second;
  }
};
template <std::invocable Run>
auto counts_of(const Run& run) {
  const cuda::Counting counting;
  auto result = run();
  return Counted<decltype(result)>{std::move(result), counting.so_far()};
}

// Summed over all kernels, whatever their names: total(counts, &cuda::KernelCounts::transactions).
inline long total(const cuda::Counts& counts, long cuda::KernelCounts::*what) {
  long sum = 0;
  for (const auto& [name, kernel] : counts.kernels) sum += kernel.*what;
  return sum;
}

// How many numbers each thread of a launch reads in sequence. An atomic counts as a read, too.
class Reads : public emulator::Watcher {
 public:
  Reads() { emulator::watcher = this; }
  ~Reads() override { emulator::watcher = nullptr; }
  Reads(const Reads&) = delete;
  Reads& operator=(const Reads&) = delete;

  long device = 0, shared = 0, both = 0;  // of the busiest thread in any launch, by memory
  std::vector<long> bytes;                // read from device memory by all threads, per launch

 private:
  struct Thread {
    long device = 0, shared = 0;
  };

  void kernel_begins(const emulator::Grid&) override { bytes.push_back(0); }
  void block_begins(std::size_t threads) override { of_thread_.assign(threads, {}); }
  void access(void* place, std::size_t size, bool write, const void*) override {
    const watch::Memory memory = watch::memory_of(place);
    if (memory == watch::Memory::elsewhere) watch::check_elsewhere(place, write);
    if (!write) one_more(memory, size);
  }
  void atomic(void* place, std::size_t size) override { one_more(watch::memory_of(place), size); }
  void one_more(watch::Memory memory, std::size_t size) {
    Thread& self = of_thread_[emulator::running_thread()];
    if (memory == watch::Memory::device) ++self.device, bytes.back() += long(size);
    if (memory == watch::Memory::shared) ++self.shared;
    device = std::max(device, self.device);
    shared = std::max(shared, self.shared);
    both = std::max(both, self.device + self.shared);
  }

  std::vector<Thread> of_thread_;
};

// The result of a run, and the reads of its busiest thread, which determines how long a kernel
// takes, however many other threads there are.
template <class Result>
struct MostReads {
  Result result;
  long device, shared, both;
  std::vector<long> bytes;
};
template <std::invocable Run>
auto most_reads(const Run& run) {
  const Reads reads;
  auto result = run();
  return MostReads<decltype(result)>{std::move(result), reads.device, reads.shared, reads.both,
                                     reads.bytes};
}

// The result of `run`. Reading a number before it is written, or next to a write without a barrier
// in between, and out-of-bounds accesses end it with a message (cuda/checking.hpp).
template <std::invocable Run>
auto checked(const Run& run) {
  const cuda::Checking checking;
  return run();
}

}  // namespace xf::exercise
