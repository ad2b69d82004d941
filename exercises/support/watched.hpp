#pragma once

// What a kernel does to memory, access by access. The answer to a test that includes this is
// compiled with hooks (HOOKED in tools/exercises/build.py), its exercise.hpp includes
// support/watched_kernels.hpp.

#include <algorithm>
#include <vector>

#include "cuda/checking.hpp"
#include "cuda/counts.hpp"
#include "cuda/watch/stretches.hpp"
#include "cuda/watcher.hpp"
#include "support/kernels.hpp"

namespace xf::exercise {

// What `run` asks of a GPU: all launches, kernel by kernel, and the host's copies.
template <std::invocable Run>
cuda::Counts counts_of(const Run& run) {
  const cuda::Counting counting;
  run();
  return counting.so_far();
}

// What all launches of this kernel ask of a GPU while `run` runs.
template <std::invocable Run>
cuda::KernelCounts counts_of(const std::string& kernel, const Run& run) {
  const cuda::Counts counts = counts_of(run);
  const auto found = counts.kernels.find(kernel);
  return found == counts.kernels.end() ? cuda::KernelCounts() : found->second;
}

// Of all kernels, whatever they are called: total(counts, &cuda::KernelCounts::transactions).
inline long total(const cuda::Counts& counts, long cuda::KernelCounts::*what) {
  long sum = 0;
  for (const auto& [name, kernel] : counts.kernels) sum += kernel.*what;
  return sum;
}

// How many numbers of device memory, or of shared memory, each thread of a launch reads, one after
// another.
class Reads : public emulator::Watcher {
 public:
  explicit Reads(watch::Memory of) : of_(of) { emulator::watcher = this; }
  ~Reads() override { emulator::watcher = nullptr; }
  Reads(const Reads&) = delete;
  Reads& operator=(const Reads&) = delete;

  long most = 0;  // of the busiest thread of all launches

 private:
  void block_begins(std::size_t threads) override { of_thread_.assign(threads, 0); }
  void access(void* place, std::size_t, bool write, const void*) override {
    const watch::Memory memory = watch::memory_of(place);
    if (memory == watch::Memory::elsewhere) watch::check_elsewhere(place, write);
    if (!write && memory == of_) one_more();
  }
  void atomic(void* place, std::size_t) override {
    if (watch::memory_of(place) == of_) one_more();
  }
  void one_more() { most = std::max(most, ++of_thread_[emulator::running_thread()]); }

  const watch::Memory of_;
  std::vector<long> of_thread_;
};

// The reads of the busiest thread while `run` runs. A kernel takes as long as that one, however
// many others there are.
template <std::invocable Run>
long most_reads(const Run& run, watch::Memory of = watch::Memory::device) {
  const Reads reads(of);
  run();
  return reads.most;
}

// What `run` returns, or NaN in its place if it fetched more than `most` bytes from the device:
// what the host is to leave to a kernel, it could do itself.
template <std::invocable Run>
auto without_the_host(std::size_t most, const Run& run) {
  const cuda::Traffic before = cuda::traffic();
  auto found = run();
  const bool fetched = cuda::traffic().bytes_to_host - before.bytes_to_host > most;
  if constexpr (requires { found.begin(); })
    for (auto& number : found) number = fetched ? NAN : number;
  else
    found = fetched ? NAN : found;
  return found;
}

// What `run` returns. A number that is read before it is written, or beside a write without a
// barrier between them, and an access beyond all memory end it with a message (cuda/checking.hpp).
template <std::invocable Run>
auto checked(const Run& run) {
  const cuda::Checking checking;
  return run();
}

}  // namespace xf::exercise
