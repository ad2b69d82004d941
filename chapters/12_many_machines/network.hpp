#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "12_many_machines/schedule.hpp"

namespace xf::many_machines {

// The cost of a message: alpha + beta n for n bytes (Hockney 1994).
struct Network {
  double alpha;  // seconds per message, whatever its length
  double beta;   // seconds a byte

  double seconds(double bytes) const { return alpha + beta * bytes; }
};

struct Measured {
  double bytes, seconds;
};
// The line through the measurements, by least squares of the relative errors, so that a short
// message counts as much as a long one. It needs at least two sizes.
Network fitted(std::span<const Measured> measured);

// The time until all processes have the sum of N float32 numbers, by the formulas. With n processes
// and M = 4 N bytes:
//   tree       2 ceil(log2 n) (alpha + beta M)
//   doubling     ceil(log2 n) (alpha + beta M)       n a power of two; otherwise 1 step more
//   ring         2 (n - 1) (alpha + beta M / n)
double seconds(Way way, int processes, std::ptrdiff_t numbers, const Network& network);

// The same, simulated message by message. Each process starts at its time in `begin`; a message
// leaves when its sender has finished all earlier ones, and occupies both processes until it
// arrives; a process can send and receive at once.   returns when the last one has the sum
double simulated(Way way, std::ptrdiff_t numbers, const Network& network,
                 const std::vector<double>& begin);

// A backward pass of `backward` seconds, whose gradients become ready at an even rate and leave in
// buckets, one after the other, by the faster of doubling and ring.   returns when the last arrives
double overlapped(double backward, int buckets, int processes, std::ptrdiff_t numbers,
                  const Network& network);

}  // namespace xf::many_machines
