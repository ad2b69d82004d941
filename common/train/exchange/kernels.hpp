#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tensor/device.hpp"

namespace xf::kernel {

// Stretches of so many numbers, from the beginning of a parameter, are what threads and blocks
// take.
constexpr std::ptrdiff_t stretch = 1 << 15;
constexpr std::size_t stretches(std::ptrdiff_t count) {
  return static_cast<std::size_t>((count + stretch - 1) / stretch);
}

// Numbers of which there are some from each shard, null where there are none. They are written to.
struct ShardSums {
  std::vector<float*> shards;
  std::ptrdiff_t count;
  float* sum = nullptr;  // where the sum is written: for sum_gradients() the first that is not null
};

// What the host wants to know of a step, and waits for: in one copy where it has to come from a
// device.
struct StepSums {
  std::vector<double> squares;  // their sum over each stretch of each sum
  std::vector<float> losses;
};
// Adds up each, in place and in the order of distributed/neighbours.hpp; `losses` are numbers on
// the device.
template <class On>
StepSums sum_gradients(On, std::span<const ShardSums> parts, std::span<const float* const> losses);

// The two halves of it, for several processes (train/exchange/shared_gradients.hpp): the shards are
// added as far as [first, last) allows;
template <class On>
void add_shards(On, std::span<ShardSums> parts, int first, int last);
// or all of them.   returns the sums of squares as StepSums has them
template <class On>
std::vector<double> add_all_shards(On, std::span<const ShardSums> parts);

}  // namespace xf::kernel
