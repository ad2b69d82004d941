#pragma once

#include <map>
#include <string>

// The work of a device, counted by the emulator: accesses, launches and copies, but no time.
namespace xf::emulator {
class Watcher;
}

namespace xf::cuda {

// Of all launches of one kernel. Warps are counted, not threads: the lanes of a warp that make an
// access at the same place of the code, for the same time since they last met, make it together.
struct KernelCounts {
  long launches = 0, blocks = 0, threads = 0;
  long accesses = 0;         // to device memory: loads and stores of a warp
  long transactions = 0;     // segments of 128 bytes that these touch; one an access at best
  long bytes_read = 0;       // sectors of 32 bytes, each counted once a launch: what a cache that
  long bytes_written = 0;    // never forgets would ask of the memory
  long shared_accesses = 0;  // to shared memory: loads and stores of a warp
  long conflicts = 0;        // times more that these take because words lie in one bank
  long barriers = 0;         // of blocks
  long atomics = 0;          // of threads
  long device_atomics = 0;   // those of them in device memory
  long branches = 0;         // at which lanes of a warp went different ways
};

struct Counts {
  std::map<std::string, KernelCounts> kernels;  // those of a library, too, without accesses
  long allocations = 0, bytes_allocated = 0;
  long uploads = 0, bytes_uploaded = 0;      // copies to the device
  long downloads = 0, bytes_downloaded = 0;  // copies to the host, which waits for each of them
  long device_copies = 0;
};

// The difference of two counts, without kernels that were not launched in between.
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

// The emulator counts while one lives, which starts at 0. Only in programs that are linked with the
// watched kernels (common/CMakeLists.txt).
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
