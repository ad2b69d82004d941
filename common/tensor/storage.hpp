#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "tensor/device.hpp"
#include "tensor/stored_rows.hpp"

namespace xf {

class Pool;

// A block of memory on one device, 64-byte aligned. On a GPU it comes from the runtime's pool
// (common/cuda/device_memory.hpp). On the CPU it comes from the calling thread's
// caching pool and goes back to that same pool, whichever thread drops it: a training step
// allocates the same sizes every time, and so hardly ever asks the operating system.
class Storage {
 public:
  // Uninitialised. Throws std::bad_alloc when there is no memory.
  Storage(std::size_t bytes, Device device);
  // Borrows numbers in host memory from another owner, such as a mapped file, aligned as their type
  // requires. They stay valid as long as `lent` or a copy of it lives.
  explicit Storage(std::shared_ptr<void> lent)
      : data_(lent.get()), borrowed_(true), lent_(std::move(lent)) {}
  // The same for rows in another format: they are converted to floats in memory of our own on first
  // use. `rest` tells the system that it may reclaim the memory of the originals.
  Storage(const StoredRows& stored, std::size_t bytes, std::shared_ptr<void> lent,
          std::function<void()> rest)
      : bytes_(bytes),
        borrowed_(true),
        lent_(std::move(lent)),
        stored_(stored),
        rest_(std::move(rest)) {}
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  template <class T>
  T* as() {
    if (stored_.format) unpack();
    return static_cast<T*>(data_);
  }
  Device device() const { return device_; }

  // Counts write accesses, so that a cache of values computed from these numbers can tell when they
  // may have changed.
  std::uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  void changed() {
    version_.store(version() + 1, std::memory_order_relaxed);
    if (form_) form_ = nullptr;
  }

  // The original rows, if there were any and nothing has been written since.
  const StoredRows* stored() const { return stored_.format && version() == 0 ? &stored_ : nullptr; }
  const std::shared_ptr<void>& lent() const { return lent_; }
  void rest() const {
    if (rest_) rest_();
  }

  // Another form of these numbers, which products read: on a GPU a bfloat16 copy
  // (ops/matmul/cuda_bf16.hpp; one thread issues all work of a GPU), on the CPU what a decoding
  // session keeps (ops/matmul/decoding_session.hpp). A write access drops it.
  std::shared_ptr<void>& form() { return form_; }

 private:
  // take() sets data_, give() frees the block; there is one of each for every device.
  void take(Cpu);
  void take(Cuda);
  void give(Cpu) noexcept;
  void give(Cuda) noexcept;
  void unpack();

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  Device device_ = Device::cpu;
  bool borrowed_ = false;  // also for an empty tensor, which needs no owner
  std::atomic<std::uint32_t> version_{0};
  std::shared_ptr<Pool> home_;
  std::shared_ptr<void> lent_, form_;
  StoredRows stored_;
  std::function<void()> rest_;
  std::once_flag unpacked_;
};

}  // namespace xf
