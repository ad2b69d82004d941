#pragma once

#include "autograd/tape.hpp"

namespace xf {

// y = a + b. The shapes are equal, or b's shape is the end of a's and b is repeated over the
// leading axes: (B, T, D) + (T, D).
Tensor add(const Tensor& a, const Tensor& b);
// y = a * b, element by element; the shapes are equal.
Tensor multiply(const Tensor& a, const Tensor& b);
// y = factor * x.
Tensor scale(const Tensor& x, float factor);

// The activations of the feed-forward layer.
//   relu(x) = max(0, x)                                      derivative: 1 where x > 0, else 0
//   gelu(x) = x/2 (1 + erf(x / sqrt 2))                      Hendrycks and Gimpel 2016, exact form
//   silu(x) = x sigmoid(x)                                   Elfwing et al. 2018
Tensor relu(const Tensor& x);
Tensor gelu(const Tensor& x);
Tensor silu(const Tensor& x);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return multiply(a, b); }
inline Tensor operator*(const Tensor& x, float factor) { return scale(x, factor); }
inline Tensor operator*(float factor, const Tensor& x) { return scale(x, factor); }

}  // namespace xf
