#pragma once

#include "04_feed_forward/feed_forward.hpp"
#include "tensor/xt_linalg.hpp"

// The equations as they would be written in NumPy, for one sentence: T rows of D features. The
// lessons compare the layers with these.
namespace xf::equations {

using Vector = xt::xtensor<float, 1>;
using Matrix = xt::xtensor<float, 2>;

// x W^T + b.   x: (T, I)   weight: (O, I)   bias: (O)   returns (T, O)
inline Matrix linear(const Matrix& x, const Matrix& weight, const Vector& bias) {
  return xt::linalg::dot(x, xt::transpose(weight)) + bias;
}
inline Matrix linear(const Matrix& x, const Linear& layer) {
  return linear(x, to_xt<2>(layer.weight), to_xt<1>(layer.bias));
}

// max(0, x W_1^T + b_1) W_2^T + b_2.   x: (T, D)   returns (T, D)
inline Matrix feed_forward(const Matrix& x, const FeedForward& layer) {
  const Matrix hidden = xt::maximum(linear(x, layer.w_1), 0.0f);  // (T, Dff)
  return linear(hidden, layer.w_2);                               // (T, D)
}

// A convolution along time, zero outside:
//   y[o, t] = bias[o] + sum over i, j of kernel[o, i, j] x[i, t + j - K/2]
//   x: (I, T)   kernel: (O, I, K)   bias: (O)   returns (O, T)
inline Matrix convolution(const Matrix& x, const xt::xtensor<float, 3>& kernel,
                          const Vector& bias) {
  const std::size_t length = x.shape(1), width = kernel.shape(2), left = width / 2;
  Matrix padded = xt::zeros<float>({x.shape(0), length + width - 1});
  xt::view(padded, xt::all(), xt::range(left, left + length)) = x;
  Matrix y = xt::zeros<float>({kernel.shape(0), length});
  for (std::size_t j = 0; j < width; ++j) {
    const Matrix tap = xt::view(kernel, xt::all(), xt::all(), j);                  // (O, I)
    const Matrix shifted = xt::view(padded, xt::all(), xt::range(j, j + length));  // (I, T)
    y += xt::linalg::dot(tap, shifted);
  }
  return y + xt::view(bias, xt::all(), xt::newaxis());
}

}  // namespace xf::equations
