#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "support/kit.hpp"
#include "tensor/vectors.hpp"

namespace xf::exercise {

// Seconds since some moment.
using Clock = std::function<double()>;

// How long the work takes: it is done once without being timed, which fills the caches, then `runs`
// times, the clock read right before and right after each. What disturbs a run only makes it
// longer, so the least counts.
double least_seconds(const Clock& clock, int runs, const std::function<void()>& work);

// Multiply-adds that only the arithmetic limits. One waits for the result of the one before it, so
// that there are `chains` of them which do not wait for each other, each a register of lanes: all
// lanes of chain c begin with `start` + c, and a step is
//   x = x factor + factor
// returns the sum of the first lane of each chain, from chain 0 on
constexpr int chains = 12;
float multiply_adds(float start, float factor, int steps);
// A multiply-add is two operations; there are kernel::lanes of them in a register.
double operations_of(int steps);

// to = factor from, number by number: what only the memory limits, where it fits into no cache.
// The factor keeps the compiler from calling memcpy, which has instructions of its own.
void scaled(const float* from, float factor, float* to, std::ptrdiff_t count);

// A number that a kernel read or wrote: which one of all that are in memory.
struct Touch {
  std::int64_t place;
  bool write;
};
// The bytes that go to and fro between memory and a cache of so many lines of 16 numbers (64 bytes,
// the first with the places 0 to 15), in which the line stays longest that was touched last:
//   a line that is read and not in the cache comes from memory            64 bytes
//   one that is written need not: it is taken to be written as a whole     0 bytes
//   where there is no room, the line goes that was not touched for longest; if it was written to
//   since it came, it goes to memory, and so do all those left at the end   64 bytes
std::int64_t bytes_moved(const std::vector<Touch>& touches, int lines);

// The roofline: nothing is faster than the memory and the arithmetic allow.
struct Machine {
  double bytes_per_second, operations_per_second;
};
struct Work {
  double bytes, operations;
};
// The operations per second that the machine allows the work.      Williams et al. 2009
double roof(const Machine& machine, const Work& work);
// Which part of that was reached, when the work took so long; 1 is the roof.
double fraction(const Machine& machine, const Work& work, double seconds);

}  // namespace xf::exercise
