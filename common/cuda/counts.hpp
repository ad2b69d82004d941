#pragma once

#include <map>
#include <string>

// The work of a device as counted by the emulator: accesses, launches and copies, but not time.
namespace xf::emulator {
class Watcher;
}

namespace xf::cuda {

// Totals over all launches of one kernel. Accesses are counted per warp, not per thread: when lanes
// reach the same instruction for the n-th time since they last synchronised, that is one access.
struct KernelCounts {
  long launches = 0, blocks = 0, threads = 0;
  long accesses = 0;         // loads and stores of device memory, per warp
  long transactions = 0;     // segments of 128 bytes that these touch; at best one per access
  long bytes_read = 0;       // sectors of 32 bytes, each counted once per launch: the memory
  long bytes_written = 0;    // traffic behind a cache that never evicts anything
  long shared_accesses = 0;  // loads and stores of shared memory, per warp
  long conflicts = 0;        // extra passes that these take because of bank conflicts
  long barriers = 0;         // of blocks
  long atomics = 0;          // of threads
  long device_atomics = 0;   // those of them on device memory
  long branches = 0;         // divergent ones: lanes of a warp took different paths
};

struct Counts {
  std::map<std::string, KernelCounts> kernels;  // library kernels, too, but not their accesses
  long allocations = 0, bytes_allocated = 0;
  long uploads = 0, bytes_uploaded = 0;      // copies to the device
  long downloads = 0, bytes_downloaded = 0;  // copies to the host, which waits for each one
  long device_copies = 0;
};

// The difference of two snapshots; kernels that were not launched in between are omitted.
inline Counts operator-(Counts more, const Counts& less) {
  for (auto& [name, kernel] : more.kernels)
    if (const auto found = less.kernels.find(name); found != less.kernels.end())
      for (const auto member :
           {&KernelCounts::launches, &KernelCounts::blocks, &KernelCounts::threads,
            &KernelCounts::accesses, &KernelCounts::transactions, &KernelCounts::bytes_read,
            &KernelCounts::bytes_written, &KernelCounts::shared_accesses, &KernelCounts::conflicts,
            &KernelCounts::barriers, &KernelCounts::atomics, &KernelCounts::device_atomics,
            &KernelCounts::branches})
        kernel.*member -= found->second.*member;
  std::erase_if(more.kernels, [](const auto& kernel) { return kernel.second.launches == 0; });
  for (const auto member :
       {&Counts::allocations, &Counts::bytes_allocated, &Counts::uploads, &Counts::bytes_uploaded,
        &Counts::downloads, &Counts::bytes_downloaded, &Counts::device_copies})
    more.*member -= less.*member;
  return more;
}

// While one is alive, the emulator counts, starting from 0. Only available in programs linked with
// the instrumented kernels (common/CMakeLists.txt).
class Counting {
 public:
  Counting();
  ~Counting();
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

  const Counts& so_far() const;

 private:
  emulator::Watcher* before_;
};

}  // namespace xf::cuda
