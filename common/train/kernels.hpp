#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tensor/device.hpp"

namespace xf::kernel {

// A parameter with its gradient and its averages, `count` numbers each.
struct AdamPart {
  float* gradient;             // the first of `shards` that is not null; becomes the sum
  std::vector<float*> shards;  // the gradient of each; null: it has none. They are written to
  float *m, *v, *w;
  float left;  // of w after the decay: 1 - lr lambda
  std::ptrdiff_t count;
};

// Stretches of so many numbers, from the beginning of a part, are what threads and blocks take.
constexpr std::ptrdiff_t stretch = 1 << 15;

// What the host wants to know of a step, and waits for: in one copy where it has to come from a
// device.
struct StepSums {
  std::vector<double> squares;  // their sum over each stretch of each part
  std::vector<float> losses;
};
// Adds up the gradients of each part, in place and in the order of distributed/neighbours.hpp;
// `losses` are numbers on the device.
template <class On>
StepSums sum_gradients(On, std::span<const AdamPart> parts, std::span<const float* const> losses);

// The two halves of it, for several processes (train/shared_gradients.hpp). Numbers of which there
// are some from each shard, null where there are none, are added as far as [first, last) allows;
struct ShardSums {
  std::vector<float*> shards;
  std::ptrdiff_t count;
  float* sum = nullptr;  // where add_all_shards() writes it
};
template <class On>
void add_shards(On, std::span<ShardSums> parts, int first, int last);
// or all of them.   returns the sums of squares as StepSums has them
template <class On>
std::vector<double> add_all_shards(On, std::span<const ShardSums> parts);

struct AdamRates {
  float beta1, beta2, epsilon, step_size, inverse_root_correction, clip_factor;
};
// The step of train/adam.hpp.
template <class On>
void adam(On, const AdamRates& rates, std::span<const AdamPart> parts);

}  // namespace xf::kernel
