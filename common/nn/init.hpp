#pragma once

#include "autograd/tape.hpp"
#include "tensor/random.hpp"

namespace xf {

// Fresh parameters (leaves of every tape), filled from `random`; with Random::none() not at all, so
// that parameters to be read from a file cost neither time nor memory before.

// Uniform in +-sqrt(6 / (in + out)) for a (out, in) weight; Glorot and Bengio 2010.
Tensor xavier_uniform(int out, int in, Random& random);
// Normal with mean 0 and the given standard deviation.
Tensor normal(const Shape& shape, double deviation, Random& random);
Tensor constant(const Shape& shape, float value);

}  // namespace xf
