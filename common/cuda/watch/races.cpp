#include "cuda/watch/races.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace xf::watch {

void Order::block_begins(std::size_t threads) {
  ++block_;
  ++barriers_;
  clocks_.assign(threads, Clocks{});
  for (std::size_t t = 0; t < threads; ++t) clocks_[t][t % warpSize] = 1;
  seen_.clear();
  fenced_.clear();
}

// What one thread has seen of other blocks, all threads of this block have now seen.
void Order::block_meets() {
  ++barriers_;
  std::vector<Use> all;
  for (const auto& [thread, uses] : seen_) all.insert(all.end(), uses.begin(), uses.end());
  if (all.empty()) return;
  for (std::size_t t = 0; t < clocks_.size(); ++t) seen_[t] = all;
}

void Order::lanes_meet(std::size_t first, unsigned lanes) {
  Clocks all{};
  const auto each = [&](const auto& body) {
    for (std::size_t lane = 0; lane < warpSize; ++lane)
      if ((lanes >> lane & 1) != 0) body(lane, clocks_[first + lane]);
  };
  each([&](std::size_t, const Clocks& own) {
    std::ranges::transform(all, own, all.begin(), [](auto a, auto b) { return std::max(a, b); });
  });
  each([&](std::size_t lane, Clocks& own) {
    own = all;
    ++own[lane];
  });
}

void Order::fences(std::size_t thread) {
  std::vector<Use>& all = fenced_[thread];
  all = seen_[thread];
  all.push_back(now(thread, false));
  ++clocks_[thread][thread % warpSize];
}

void Order::atomic(std::size_t thread, const void* place) {
  std::vector<Use>& here = published_[place];
  std::vector<Use>& own = seen_[thread];
  own.insert(own.end(), here.begin(), here.end());
  const std::vector<Use>& fenced = fenced_[thread];
  here.insert(here.end(), fenced.begin(), fenced.end());
}

bool Order::before(const Use& use, std::size_t thread) const {
  if (use.block == block_) {
    if (use.barriers != barriers_ || use.thread == thread) return true;
    return use.thread / warpSize == thread / warpSize &&
           clocks_[thread][use.thread % warpSize] >= use.clock;
  }
  const auto found = seen_.find(thread);
  return found != seen_.end() && std::ranges::any_of(found->second, [&](const Use& seen) {
           if (seen.block != use.block) return false;
           return use.barriers < seen.barriers ||
                  (use.barriers == seen.barriers && use.thread == seen.thread &&
                   use.clock <= seen.clock);
         });
}

std::optional<Use> Cell::read(const Order& order, std::size_t thread, bool atomic) {
  const Use own = order.now(thread, atomic), before = write_;
  const bool near = order.recent(read_) && same_warp(read_, own);
  const bool together =
      near && read_.barriers == own.barriers && read_.clock == own.clock && read_.atomic == atomic;
  if (order.recent(read_) && !near) elsewhere_ = read_;
  readers_ = (together ? readers_ : 0) | 1u << thread % warpSize;
  read_ = own;
  return order.race(before, own) ? std::optional(before) : std::nullopt;
}

std::optional<Use> Cell::write(const Order& order, std::size_t thread, bool atomic) {
  const Use own = order.now(thread, atomic), before = std::exchange(write_, own);
  if (order.race(before, own)) return before;
  return racing_read(order, own);
}

std::optional<Use> Cell::racing_read(const Order& order, const Use& own) const {
  if (order.race(elsewhere_, own)) return elsewhere_;
  Use use = read_;
  const auto first = static_cast<std::uint16_t>(read_.thread / warpSize * warpSize);
  for (unsigned left = readers_; left != 0; left &= left - 1) {
    use.thread = static_cast<std::uint16_t>(first + std::countr_zero(left));
    if (order.race(use, own)) return use;
  }
  return std::nullopt;
}

}  // namespace xf::watch
