#include "tensor/storage.hpp"

#include <bit>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

namespace xf {

namespace {

constexpr std::size_t alignment = 64;

// Sizes are rounded up to an eighth of their power of two, so that batches of slightly different
// lengths reuse each other's blocks; at most 12.5% is wasted.
std::size_t size_class(std::size_t bytes) {
  if (bytes <= 512) return 512;
  const std::size_t step = std::bit_floor(bytes - 1) / 8;
  return (bytes + step - 1) / step * step;
}

}  // namespace

// The free blocks of one thread, by size.
class Pool {
 public:
  ~Pool() { release(); }

  void* take(std::size_t bytes) {
    {
      std::lock_guard lock(mutex_);
      auto& blocks = free_[bytes];
      if (!blocks.empty()) {
        void* block = blocks.back();
        blocks.pop_back();
        return block;
      }
    }
    return ::operator new (bytes, std::align_val_t{alignment});
  }

  void give(void* block, std::size_t bytes) {
    std::lock_guard lock(mutex_);
    free_[bytes].push_back(block);
  }

  void release() {
    std::lock_guard lock(mutex_);
    for (auto& [bytes, blocks] : free_)
      for (void* block : blocks) ::operator delete (block, std::align_val_t{alignment});
    free_.clear();
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::size_t, std::vector<void*>> free_;
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
