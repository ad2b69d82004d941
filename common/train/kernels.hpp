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

// What the host wants to know of a step, and waits for: in one copy where it has to come from a
// device.
struct StepSums {
  double squares = 0;          // of all gradients
  std::ptrdiff_t spoilt = -1;  // the first part whose gradient is not finite, if there is one
  std::vector<float> losses;
};
// Adds up the gradients of each part, in place and in the order of distributed/neighbours.hpp;
// `losses` are numbers on the device.
template <class On>
StepSums sum_gradients(On, std::span<const AdamPart> parts, std::span<const float* const> losses);

struct AdamRates {
  float beta1, beta2, epsilon, step_size, inverse_root_correction, clip_factor;
};
// The step of train/adam.hpp.
template <class On>
void adam(On, const AdamRates& rates, std::span<const AdamPart> parts);

}  // namespace xf::kernel
