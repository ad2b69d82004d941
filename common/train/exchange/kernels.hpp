#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tensor/device.hpp"

namespace xf::kernel {

// Threads and blocks process stretches of this many numbers, and each parameter begins a new one.
constexpr std::ptrdiff_t stretch = 1 << 15;
constexpr std::size_t stretches(std::ptrdiff_t count) {
  return static_cast<std::size_t>((count + stretch - 1) / stretch);
}

// The same numbers in each shard, null for a shard that has none. They are overwritten.
struct ShardSums {
  std::vector<float*> shards;
  std::ptrdiff_t count;
  float* sum = nullptr;  // output; for sum_gradients() the first shard that is not null
};

// What the host waits for after a step, in one copy where it comes from a device.
struct StepSums {
  std::vector<double> squares;  // the sum of squares of each stretch of each sum
  std::vector<float> losses;
};
// Adds up the shards of each part, in place and in the order of distributed/neighbours.hpp;
// `losses` are on the device.
template <class On>
StepSums sum_gradients(On, std::span<const ShardSums> parts, std::span<const float* const> losses);

// The two halves of it, for several processes (train/exchange/shared_gradients.hpp): adds the
// shards as far as [first, last) allows;
template <class On>
void add_shards(On, std::span<ShardSums> parts, int first, int last);
// or all of them.   returns the sums of squares as in StepSums
template <class On>
std::vector<double> add_all_shards(On, std::span<const ShardSums> parts);

}  // namespace xf::kernel
