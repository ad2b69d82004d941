#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/emulator.hpp"
#include "cuda/fiber.hpp"

// The threads of a block, and what they wait for.
namespace xf::emulator {

enum class State { fresh, ready, at_block_barrier, at_warp_barrier, done };

struct Thread {
  State state = State::fresh;
  Fiber* fiber = nullptr;
  Line line = Line(0);  // the line of the block barrier where it waits
  WarpSync sync;        // the warp synchronisation that it waits for
  std::uint64_t sent = 0, received = 0;
  std::size_t source = 0;             // the thread whose number it receives
  std::uint64_t* of_lanes = nullptr;  // or where the numbers of all lanes go
};

inline std::string in_order(Line a, Line b) {
  return std::to_string(std::min(a.number, b.number)) + " and " +
         std::to_string(std::max(a.number, b.number));
}

// A deadlock: threads wait for others that never arrive.
inline std::string why_nobody_goes_on(const std::vector<Thread>& threads) {
  for (std::size_t i = 1; i < threads.size(); ++i) {  // lanes that wait at different lines
    const Thread &a = threads[i - 1], &b = threads[i];
    if (a.state != State::at_warp_barrier || b.state != State::at_warp_barrier) continue;
    if (i % warpSize == 0 || a.sync == b.sync) continue;
    return a.sync.line.number == b.sync.line.number
               ? "lanes of a warp meet with different masks, in line " +
                     std::to_string(a.sync.line.number)
               : "lanes of a warp wait at different shuffles or barriers, in lines " +
                     in_order(a.sync.line, b.sync.line);
  }
  const auto waiting = [&](State state) {
    return std::ranges::count(threads, state, &Thread::state);
  };
  const auto in_warps = waiting(State::at_warp_barrier);
  const auto some = in_warps > 0 ? in_warps : waiting(State::at_block_barrier);
  return std::to_string(some) + " of " + std::to_string(threads.size()) + " threads wait " +
         (in_warps > 0 ? "for lanes of their warp that do not come"
                       : "at a barrier that the others never reach");
}

}  // namespace xf::emulator
