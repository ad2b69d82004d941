#pragma once

#include "autograd/tape.hpp"

namespace xf {

// All throw std::invalid_argument when the shapes do not fit.

// y = a + b. The shapes are equal, or b's shape is the end of a's and b is repeated over the
// leading axes: (B, T, D) + (T, D). backward: da = dy, db = dy, summed over the repeats.
Tensor add(const Tensor& a, const Tensor& b);
// y = a * b, element by element; the shapes are equal. backward: da = dy b, db = dy a.
Tensor multiply(const Tensor& a, const Tensor& b);
// y = factor * x. backward: dx = factor dy.
Tensor scale(const Tensor& x, float factor);
// The same with a constant factor for each row: y[r, c] = factors[r] x[r, c].
//   x: (..., N)   factors: one number per row
Tensor scale_rows(const Tensor& x, const Tensor& factors);

// The activations of the feed-forward layer; backward: dx = dy times the derivative.
//   relu(x) = max(0, x)                    1 where x > 0, else 0
//   gelu(x) = x P(x)                       P(x) + x p(x)             Hendrycks and Gimpel 2016
//   gelu_tanh(x) = x (1 + t) / 2           (1 + t) / 2 + x (1 - t^2) u' / 2, its approximation
//   silu(x) = x s(x)                       s(x) (1 + x (1 - s(x)))   Elfwing et al. 2018
// with P(x) = (1 + erf(x / sqrt 2)) / 2 and p(x) = exp(-x^2 / 2) / sqrt(2 pi) of the normal
// distribution, s(x) = 1 / (1 + exp(-x)), t = tanh(u) and u = sqrt(2 / pi) (x + 0.044715 x^3).
Tensor relu(const Tensor& x);
Tensor gelu(const Tensor& x);
Tensor gelu_tanh(const Tensor& x);
Tensor silu(const Tensor& x);
// The activations of recurrent networks; backward: dx = dy times the derivative, in terms of y.
//   sigmoid(x) = 1 / (1 + exp(-x))         y (1 - y)
//   tanh(x)                                1 - y^2
Tensor sigmoid(const Tensor& x);
Tensor tanh(const Tensor& x);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return multiply(a, b); }
inline Tensor operator*(const Tensor& x, float factor) { return scale(x, factor); }
inline Tensor operator*(float factor, const Tensor& x) { return scale(x, factor); }

}  // namespace xf
