#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "cuda/emulator.hpp"

namespace xf::watch {

// Which thread used a number, and when: its block (counted over all launches), how many barriers
// had been passed in total, and how often the thread had synchronised its warp or executed a fence.
struct Use {
  std::uint32_t block = 0, barriers = 0, clock = 0;
  std::uint16_t thread = 0;
  bool atomic = false;
};

// Decides which uses happen before what the running thread does now.
class Order {
 public:
  void kernel_begins() {
    first_block_ = block_ + 1;
    published_.clear();
  }
  void block_begins(std::size_t threads);
  void block_meets();
  void lanes_meet(std::size_t first, unsigned lanes);
  void fences(std::size_t thread);
  void atomic(std::size_t thread, const void* place);

  Use now(std::size_t thread, bool atomic) const {
    return {block_, barriers_, clocks_[thread][thread % warpSize],
            static_cast<std::uint16_t>(thread), atomic};
  }
  // Is the use part of this launch? Earlier launches have completed.
  bool recent(const Use& use) const { return use.block >= first_block_; }
  bool of_this_block(const Use& use) const { return use.block == block_; }
  // Does this recent use happen before what `thread` does now?
  bool before(const Use& use, std::size_t thread) const;
  bool race(const Use& use, const Use& own) const {
    return recent(use) && !(use.atomic && own.atomic) && !before(use, own.thread);
  }

 private:
  // A vector clock: for each lane of the warp, the latest clock that the thread has seen.
  using Clocks = std::array<std::uint32_t, warpSize>;

  std::uint32_t first_block_ = 0, block_ = 0, barriers_ = 0;
  std::vector<Clocks> clocks_;
  // What each thread has seen of the uses by other blocks, what its fences have made visible, and
  // what atomics at an address have published. Blocks rarely communicate.
  std::map<std::size_t, std::vector<Use>> seen_, fenced_;
  std::map<const void*, std::vector<Use>> published_;
};

// The last uses of two bytes of memory.
class Cell {
 public:
  // Records an access by `thread`, and returns an earlier one that it races with, if any.
  std::optional<Use> read(const Order& order, std::size_t thread, bool atomic);
  std::optional<Use> write(const Order& order, std::size_t thread, bool atomic);
  const Use& last_write() const { return write_; }
  // For shared memory, of which each block has its own: uses by other blocks are irrelevant.
  void forget_other_blocks(const Order& order) {
    for (Use* use : {&write_, &read_, &elsewhere_})
      if (!order.of_this_block(*use)) *use = {};
    if (read_.block == 0) readers_ = 0;
  }

 private:
  static bool same_warp(const Use& a, const Use& b) {
    return a.block == b.block && a.thread / warpSize == b.thread / warpSize;
  }
  std::optional<Use> racing_read(const Order& order, const Use& own) const;

  Use write_, read_;
  unsigned readers_ = 0;  // lanes of the warp that read together with read_, at the same clock
  Use elsewhere_;         // a read by another warp or block
};

}  // namespace xf::watch
