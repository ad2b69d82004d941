#pragma once

#include "autograd/tape.hpp"
#include "tensor/random.hpp"

namespace xf {

// New parameters (leaves of every tape), initialised from `random`; with Random::none() not at all,
// so that parameters that are read from a file cost no time or memory before that.

// Uniform in +-sqrt(6 / (in + out)) for a (out, in) weight; Glorot and Bengio 2010.
Tensor xavier_uniform(int out, int in, Random& random);
// Normal with mean 0 and the given standard deviation.
Tensor normal(const Shape& shape, double deviation, Random& random);
Tensor constant(const Shape& shape, float value);

}  // namespace xf
