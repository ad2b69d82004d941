#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/device_memory.hpp"
#include "cuda/guarded.hpp"
#include "cuda/sanitizers.hpp"
#include "cuda/watcher.hpp"

namespace xf::cuda {

namespace {

// Simulated GPU failures: XF_EMULATED_MEMORY=BYTES limits the device's memory, and after
// XF_EMULATED_KERNELS=NUMBER kernels the device is lost.
std::size_t from_environment(const char* name, std::size_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Reserves address space, not memory. A Watcher needs many times as much for its tables.
std::size_t addresses() {
  constexpr std::size_t most = std::size_t{1} << 36;
  rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  return limit.rlim_cur == RLIM_INFINITY ? most : std::min<std::size_t>(most, limit.rlim_cur / 64);
}

const std::size_t reserved = addresses();
constexpr std::size_t page = std::size_t{1} << 21;
using emulator::margin, emulator::untouched;  // behind each block
// Blocks larger than this are mostly untouched address space: only their beginning and margin are
// filled. They have a region of their own at the end, which is released with the last of them.
constexpr std::size_t huge = std::size_t{1} << 30;

// The emulated device's memory: one address range, protected except during kernels and copies.
// Changing its protection takes time proportional to its number of pages, hence huge pages, which
// are 512 times fewer.
class Arena {
 public:
  Arena() {
    std::size_t space = reserved + page;
    void* first =
        mmap(nullptr, space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (first == MAP_FAILED) throw DeviceError("cuda-emulated: no memory for the device");
    base_ = static_cast<unsigned char*>(std::align(page, reserved, first, space));
#ifdef MADV_HUGEPAGE
    madvise(base_, reserved, MADV_HUGEPAGE);
#endif
  }

  // Reports an access from outside a kernel before the program ends.
  void watch() {
    first_ = base_;
    struct sigaction action = {};
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_RESETHAND;
    sigaction(SIGSEGV, &action, &before_);
  }

  void* allocate(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes > limit_ - held_) throw DeviceError(too_little(bytes));
    const std::size_t size = size_of_block(bytes);
    unsigned char* block = nullptr;
    if (auto found = free_.find(size); found != free_.end() && !found->second.empty()) {
      block = found->second.back();
      found->second.pop_back();
    } else {
      if (size > reserved - used_ - far_) throw DeviceError(too_little(bytes));
      if (bytes > huge) {
        far_ += size;
        block = base_ + reserved - far_;
        ++far_blocks_;
      } else {
        block = base_ + used_;
        used_ += size;
      }
    }
    held_ += bytes;
    open();
    sanitizers::allow(block, size);
    const std::size_t filled = bytes > huge ? page : bytes;
    for (std::size_t i = 0; i < filled; i += sizeof fresh_)
      std::memcpy(block + i, &fresh_, std::min(sizeof fresh_, filled - i));
    std::memset(block + bytes, untouched, bytes > huge ? margin : size - bytes);
    sanitizers::forbid(block + bytes, size - bytes);
    close();
    taken_[block] = bytes;
    if (emulator::watcher) emulator::watcher->allocated(block, bytes);
    return block;
  }

  void release(void* block) {
    const std::lock_guard lock(mutex_);
    const auto found = taken_.find(static_cast<unsigned char*>(block));
    if (found == taken_.end()) return;
    if (emulator::watcher) emulator::watcher->released(block, found->second);
    open();
    if (!emulator::is_untouched(found->first + found->second))
      broken_ = std::max(broken_, found->second);
    close();
    held_ -= found->second;
    const std::size_t size = size_of_block(found->second);
    sanitizers::forbid(block, size);
    if (found->second <= huge)
      free_[size].push_back(found->first);
    else if (--far_blocks_ == 0)
      give_back_far();
    taken_.erase(found);
  }

  bool in_one_block(const void* first, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto* const begin = static_cast<const unsigned char*>(first);
    const auto after = taken_.upper_bound(begin);
    if (after == taken_.begin()) return false;
    const auto& [block, size] = *std::prev(after);
    return begin + bytes <= block + size;
  }

  void check() {
    const std::lock_guard lock(mutex_);
    open();
    for (const auto& [block, bytes] : taken_)
      if (!emulator::is_untouched(block + bytes)) {
        broken_ = std::max(broken_, bytes);
        std::memset(block + bytes, untouched, margin);
      }
    close();
    const std::size_t bytes = std::exchange(broken_, 0);
    if (bytes > 0)
      throw std::logic_error("cuda-emulated: a kernel wrote behind the end of an allocation of " +
                             std::to_string(bytes) + " bytes");
  }

  void fill_fresh_with(std::uint32_t number) { fresh_ = number; }
  std::size_t offset(const void* pointer) const {
    return reinterpret_cast<std::uintptr_t>(pointer) - reinterpret_cast<std::uintptr_t>(base_);
  }

  // Calls may nest: a copy can be requested while a kernel is being prepared.
  void open() {
    if (opened_++ == 0) protect(PROT_READ | PROT_WRITE);
  }
  void close() {
    if (--opened_ == 0) protect(PROT_NONE);
  }

 private:
  std::string too_little(std::size_t bytes) const {
    return "cuda-emulated: no memory for " + std::to_string(bytes) + " bytes, " +
           std::to_string(limit_ - held_) + " of " + std::to_string(limit_) + " are free";
  }

  static std::size_t size_of_block(std::size_t bytes) {
    const std::size_t least = bytes + margin,
                      step = std::max<std::size_t>(256, std::bit_floor(least) / 8);
    return (least + step - 1) / step * step;
  }

  void protect(int access) {
    if (used_ > 0) mprotect(base_, (used_ + page - 1) / page * page, access);
    if (far_ > 0) mprotect(base_ + reserved - far_, far_, access);
  }

  void give_back_far() {
    unsigned char* const first = base_ + reserved - far_;
    sanitizers::allow(first, far_);
    madvise(first, far_, MADV_DONTNEED);
    mprotect(first, far_, PROT_NONE);
    far_ = 0;
  }

  // Only async-signal-safe calls. On return, the access faults again and ends the program.
  static void report(int, siginfo_t* info, void*) {
    const auto* where = static_cast<unsigned char*>(info->si_addr);
    if (where >= first_ && where < first_ + reserved) {
      constexpr char text[] = "cuda-emulated: device memory was touched from outside a kernel\n";
      if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(2);
    } else {
      sigaction(SIGSEGV, &before_, nullptr);
    }
  }

  inline static struct sigaction before_;
  inline static unsigned char* first_;
  std::mutex mutex_;
  unsigned char* base_ = nullptr;
  const std::size_t limit_ = std::min(reserved, from_environment("XF_EMULATED_MEMORY", reserved));
  std::size_t used_ = 0, held_ = 0, broken_ = 0;  // held: requested by tensors, without margins
  std::size_t far_ = 0, far_blocks_ = 0;
  int opened_ = 0;
  std::uint32_t fresh_ = ~0u;  // NaN, or -1
  std::map<std::size_t, std::vector<unsigned char*>> free_;
  std::map<unsigned char*, std::size_t, std::less<>> taken_;  // blocks in use and their sizes
};

// Never destroyed: tensors with static storage duration may outlive it.
Arena& arena() {
  static Arena* const arena = new Arena;
  return *arena;
}

Traffic counted;
bool only_ends = false;

using Copy = emulator::Watcher::Copy;

void copy(Copy direction, void* to, const void* from, std::size_t bytes) {
  if (emulator::in_kernel) throw std::logic_error("cuda-emulated: the host's copy in a kernel");
  if (emulator::watcher) emulator::watcher->copied(direction, to, from, bytes);
  const InsideKernel open;
  const auto apart = [&](const void* a, const void* b) {
    return static_cast<const char*>(a) + bytes <= static_cast<const char*>(b);
  };
  if (bytes > 0 && !apart(to, from) && !apart(from, to))
    throw std::logic_error("cuda-emulated: a copy whose two sides overlap");
  const std::size_t left_out = only_ends && bytes > huge ? bytes - page : 0;
  if (bytes > 0)
    std::memcpy(static_cast<char*>(to) + left_out, static_cast<const char*>(from) + left_out,
                bytes - left_out);
}

}  // namespace

std::size_t reserved_addresses() { return addresses(); }  // also before main()
void require_device() { arena(); }

void begin_kernel(const char* kernel) {
  static std::size_t left = from_environment("XF_EMULATED_KERNELS", SIZE_MAX);
  if (left == 0)
    throw DeviceError("cuda-emulated: " + std::string(kernel) + ": the device is gone");
  --left;
}

void* allocate(std::size_t bytes) { return arena().allocate(bytes); }
void release(void* block, std::size_t) noexcept { arena().release(block); }

void copy_to_device(void* to, const void* host, std::size_t bytes) {
  ++counted.to_device;
  copy(Copy::to_device, to, host, bytes);
}
void copy_to_host(void* host, const void* from, std::size_t bytes) {
  ++counted.to_host;
  counted.bytes_to_host += bytes;
  ++counted.waits;
  copy(Copy::to_host, host, from, bytes);
}
void copy_on_device(void* to, const void* from, std::size_t bytes) {
  copy(Copy::on_device, to, from, bytes);
}
Traffic traffic() { return counted; }

InsideKernel::InsideKernel() { arena().open(); }
InsideKernel::~InsideKernel() { arena().close(); }

void fill_fresh_memory_with(std::uint32_t number) { arena().fill_fresh_with(number); }
std::size_t device_offset(const void* pointer) { return arena().offset(pointer); }
bool on_device(const void* pointer) { return device_offset(pointer) < reserved; }
void require_one_block(const void* first, std::size_t bytes, const char* what) {
  if (!arena().in_one_block(first, bytes))
    throw std::logic_error("cuda-emulated: " + std::string(what) +
                           " reaches beyond a block of memory");
}
void copy_ends_only(bool only) { only_ends = only; }

void watch_host() { arena().watch(); }
void check_ends_of_blocks() { arena().check(); }

}  // namespace xf::cuda
