#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <vector>

#include "cuda/size_classes.hpp"

namespace xf::cuda {

// Released blocks of device memory, cached for reuse: every training step needs the same sizes, and
// allocating from the driver takes longer than running a small kernel. All work is on one stream,
// so a block can be reused immediately. Thread-safe.
class BlockCache {
 public:
  static constexpr std::size_t size_for(std::size_t bytes) {
    return size_of_class(class_of(bytes));
  }

  // A block of size_for(bytes); null if none is cached.
  void* take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    std::vector<void*>& blocks = blocks_[class_of(bytes)];
    if (blocks.empty()) return nullptr;
    void* block = blocks.back();
    blocks.pop_back();
    return block;
  }

  void keep(void* block, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    blocks_[class_of(bytes)].push_back(block);
  }

  std::vector<void*> take_all() {
    const std::lock_guard lock(mutex_);
    std::vector<void*> all;
    for (std::vector<void*>& blocks : blocks_) {
      all.insert(all.end(), blocks.begin(), blocks.end());
      blocks.clear();
    }
    return all;
  }

 private:
  std::mutex mutex_;
  std::array<std::vector<void*>, size_classes> blocks_;
};

}  // namespace xf::cuda
