#include "tensor/storage.hpp"

#include <sys/mman.h>

#include <array>
#include <mutex>
#include <new>
#include <vector>

#include "cuda/size_classes.hpp"

namespace xf {

namespace {

constexpr std::size_t alignment = 64, huge_page = 1 << 21;

// Under a sanitizer, sizes are not rounded up and freed blocks are not kept, so that it detects
// accesses beyond the end of a block and after its lifetime.
#ifdef XF_SANITIZE
constexpr bool keeps_blocks = false;
#else
constexpr bool keeps_blocks = true;
#endif

// A fresh block. Large ones ask for huge pages: fewer page faults, fewer TLB misses.
void* allocate(std::size_t bytes) {
  void* block = ::operator new (bytes, std::align_val_t{bytes < huge_page ? alignment : huge_page});
#ifdef MADV_HUGEPAGE
  if (bytes >= huge_page) madvise(block, bytes, MADV_HUGEPAGE);
#endif
  return block;
}

void deallocate(void* block, std::size_t bytes) {
  ::operator delete (block, std::align_val_t{bytes < huge_page ? alignment : huge_page});
}

}  // namespace

// The free blocks of one thread, by size class.
class Pool {
 public:
  ~Pool() {
    for (std::size_t i = 0; i < size_classes; ++i)
      for (void* block : free_[i]) deallocate(block, size_of_class(i));
  }

  // A block of at least `bytes`, and at most half as much again; up to twice as much if most of
  // the memory is idle, as it is while the batches of a translation grow shorter. `bytes` is set to
  // the actual size.
  void* take(std::size_t& bytes) {
    if (!keeps_blocks) return allocate(bytes);
    const std::size_t smallest = class_of(bytes);
    bytes = size_of_class(smallest);
    {
      std::lock_guard lock(mutex_);
      const std::size_t most = idle_ > used_ ? 2 * bytes : bytes + bytes / 2;
      for (std::size_t i = smallest; i < size_classes && size_of_class(i) <= most; ++i)
        if (!free_[i].empty()) {
          void* block = free_[i].back();
          free_[i].pop_back();
          bytes = size_of_class(i);
          idle_ -= bytes;
          used_ += bytes;
          return block;
        }
      used_ += bytes;
    }
    return allocate(bytes);
  }

  void give(void* block, std::size_t bytes) {
    if (!keeps_blocks) return deallocate(block, bytes);
    std::lock_guard lock(mutex_);
    free_[class_of(bytes)].push_back(block);
    used_ -= bytes;
    idle_ += bytes;
  }

 private:
  std::mutex mutex_;
  std::array<std::vector<void*>, size_classes> free_;
  std::size_t used_ = 0, idle_ = 0;  // bytes
};

void Storage::take(Cpu) {
  thread_local const std::shared_ptr<Pool> this_threads_pool = std::make_shared<Pool>();
  home_ = this_threads_pool;
  data_ = home_->take(bytes_);
}

void Storage::give(Cpu) noexcept { home_->give(data_, bytes_); }

Storage::Storage(std::size_t bytes, Device device) : bytes_(bytes), device_(device) {
  dispatch(device, [this](auto on) { take(on); });
}

void Storage::unpack() {
  std::call_once(unpacked_, [this] {
    const std::size_t bytes = bytes_;
    take(Cpu{});
    borrowed_ = false;
    const std::size_t row = sizeof(float) * static_cast<std::size_t>(stored_.columns);
    stored_.read(static_cast<std::ptrdiff_t>(bytes / row), static_cast<float*>(data_));
    rest();
  });
}

Storage::~Storage() {  // NOLINT(bugprone-exception-escape): the device exists
  if (!borrowed_) dispatch(device_, [this](auto on) { give(on); });
}

}  // namespace xf
