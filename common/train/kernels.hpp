#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tensor/device.hpp"

namespace xf::kernel {

// A parameter with its gradient and its averages, `count` numbers each.
struct AdamPart {
  float* gradient;                   // of the first shard; becomes the sum
  std::vector<const float*> others;  // of the other shards
  float *m, *v, *w;
  float left;  // of w after the decay: 1 - lr lambda
  std::ptrdiff_t count;
};

// Adds up the gradients of each part, in place. Returns the sum of all their squares; in `spoilt`
// the number of the first part whose gradient is not finite, if there is one.
template <class On>
double sum_gradients(On, std::span<const AdamPart> parts, std::ptrdiff_t& spoilt);

struct AdamRates {
  float beta1, beta2, epsilon, step_size, inverse_root_correction, clip_factor;
};
// The step of train/adam.hpp.
template <class On>
void adam(On, const AdamRates& rates, std::span<const AdamPart> parts);

}  // namespace xf::kernel
