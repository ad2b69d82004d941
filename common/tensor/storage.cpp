#include "tensor/storage.hpp"

#include <sys/mman.h>

#include <bit>
#include <map>
#include <mutex>
#include <new>
#include <vector>

namespace xf {

namespace {

constexpr std::size_t alignment = 64, huge_page = 1 << 21;

// Sizes are rounded up to an eighth of their power of two, so that batches of slightly different
// lengths reuse each other's blocks.
std::size_t size_class(std::size_t bytes) {
  if (bytes <= 512) return 512;
  const std::size_t step = std::bit_floor(bytes - 1) / 8;
  return (bytes + step - 1) / step * step;
}

// A fresh block. Large ones ask for huge pages: fewer page faults, fewer address look-ups.
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

// The free blocks of one thread, by size.
class Pool {
 public:
  ~Pool() { release(); }

  // A block of at least `bytes`, and at most half as much again; `bytes` becomes its true size.
  void* take(std::size_t& bytes) {
    {
      std::lock_guard lock(mutex_);
      const auto found = free_.lower_bound(bytes);
      if (found != free_.end() && found->first <= bytes + bytes / 2) {
        void* block = found->second.back();
        bytes = found->first;
        found->second.pop_back();
        if (found->second.empty()) free_.erase(found);
        return block;
      }
    }
    return allocate(bytes);
  }

  void give(void* block, std::size_t bytes) {
    std::lock_guard lock(mutex_);
    free_[bytes].push_back(block);
  }

  void release() {
    std::lock_guard lock(mutex_);
    for (auto& [bytes, blocks] : free_)
      for (void* block : blocks) deallocate(block, bytes);
    free_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> free_;
};

namespace {

const std::shared_ptr<Pool>& this_threads_pool() {
  thread_local const std::shared_ptr<Pool> pool = std::make_shared<Pool>();
  return pool;
}

}  // namespace

Storage::Storage(std::size_t bytes, Device device) : bytes_(size_class(bytes)), device_(device) {
  dispatch(device, [&](Cpu) {
    home_ = this_threads_pool();
    data_ = home_->take(bytes_);
  });
}

Storage::~Storage() { home_->give(data_, bytes_); }

void release_cached_memory() { this_threads_pool()->release(); }

}  // namespace xf
