#pragma once

#include "tensor/tensor.hpp"

namespace xf {

// sum += x, element by element; the shapes are equal. Changes `sum` in place: for the tape, which
// alone knows that nobody else looks at the numbers.
void accumulate_into(Tensor& sum, const Tensor& x);

}  // namespace xf
