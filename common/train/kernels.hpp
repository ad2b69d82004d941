#pragma once

#include <cstddef>
#include <span>

#include "tensor/device.hpp"

namespace xf::kernel {

// A parameter with its gradient and Adam's averages, `count` numbers each.
struct AdamPart {
  const float* gradient;
  float *m, *v, *w;
  float left;  // what weight decay leaves of w: 1 - lr lambda
  std::ptrdiff_t count;
};

struct AdamRates {
  float beta1, beta2, epsilon, step_size, inverse_root_correction, scale;
};
// The step of train/adam.hpp.
template <class On>
void adam(On, const AdamRates& rates, std::span<const AdamPart> parts);

}  // namespace xf::kernel
