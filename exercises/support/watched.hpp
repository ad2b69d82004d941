#pragma once

// What a kernel does to memory, access by access. The answer to a test that includes this is
// compiled with hooks (HOOKED in tools/exercises/build.py), its exercise.hpp includes
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

// What a run returned, and what it asked of a GPU: all launches, kernel by kernel, and the host's
// copies. A test compares both: a run that leaves the work out asks for less.
template <class Result>
struct Counted {
  Result result;
  cuda::Counts counts;

  // Of all launches of this kernel.
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

// Of all kernels, whatever they are called: total(counts, &cuda::KernelCounts::transactions).
inline long total(const cuda::Counts& counts, long cuda::KernelCounts::*what) {
  long sum = 0;
  for (const auto& [name, kernel] : counts.kernels) sum += kernel.*what;
  return sum;
}

// How many numbers each thread of a launch reads, one after another. An atomic reads one, too.
class Reads : public emulator::Watcher {
 public:
  Reads() { emulator::watcher = this; }
  ~Reads() override { emulator::watcher = nullptr; }
  Reads(const Reads&) = delete;
  Reads& operator=(const Reads&) = delete;

  long device = 0, shared = 0, both = 0;  // of the busiest thread of all launches, by memory
  std::vector<long> bytes;                // of device memory, by launch: of all its threads

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

// What a run returned, and the reads of its busiest thread. A kernel takes as long as that one,
// however many others there are.
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

// What `run` returns. A number that is read before it is written, or beside a write without a
// barrier between them, and an access beyond all memory end it with a message (cuda/checking.hpp).
template <std::invocable Run>
auto checked(const Run& run) {
  const cuda::Checking checking;
  return run();
}

}  // namespace xf::exercise
