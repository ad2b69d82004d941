#include "exercise.hpp"

namespace xf::exercise {

BiasGradients bias_gradients(const Projected& of, const Matrix& dy, Weights kind) {
  const std::size_t t = of.q.shape(0), s = of.k.shape(0), d = of.q.shape(1);
  const float scale = 1 / std::sqrt(static_cast<float>(d));
  const Matrix q = of.q + of.b_q, k = of.k + of.b_k;              // (T, d_k), (S, d_k)
  const Matrix z = xt::linalg::dot(q, xt::transpose(k)) * scale;  // (T, S)
  const Matrix da = xt::linalg::dot(dy, xt::transpose(of.v));     // (T, S)
  BiasGradients gradients{xt::zeros<float>({d}), xt::zeros<float>({d})};
  for (std::size_t i = 0; i < t; ++i) {
    float largest = z(i, 0), total = 0, mean = 0;
    for (std::size_t j = 0; j < s; ++j) largest = std::max(largest, z(i, j));
    for (std::size_t j = 0; j < s; ++j) total += std::exp(z(i, j) - largest);
    for (std::size_t j = 0; j < s; ++j) mean += std::exp(z(i, j) - largest) / total * da(i, j);
    for (std::size_t j = 0; j < s; ++j) {
      const float a = std::exp(z(i, j) - largest) / total, on = 1 / (1 + std::exp(-z(i, j)));
      const float dz = kind == Weights::softmax ? a * (da(i, j) - mean) : on * (1 - on) * da(i, j);
      for (std::size_t c = 0; c < d; ++c) {
        gradients.b_q(c) += dz * k(j, c) * scale;
        gradients.b_k(c) += dz * q(i, c) * scale;
      }
    }
  }
  return gradients;
}

Row merged_bias(const Matrix& w_o, const Row& b_v, const Row& b_o) {
  Row merged = b_o;
  for (std::size_t i = 0; i < w_o.shape(0); ++i)
    for (std::size_t j = 0; j < w_o.shape(1); ++j) merged(i) += w_o(i, j) * b_v(j);
  return merged;
}

/* Answer: b_k adds (q_i + b_q) . b_k to every score of row i, and a softmax does not change when
   all its scores grow by the same number: the output does not depend on b_k, so its gradient is 0.
   In dz: each row of it sums to 0. b_q adds b_q . k_j, which differs from key to key. b_v
   comes out as W_O b_v, whatever the weights are, for they sum to 1: b_o can do that. b_v cannot do
   what b_o does where W_O has no inverse. Weights of a sigmoid neither ignore a common number nor
   sum to 1. */
Written written(Weights kind) {
  const int sum_to_1 = kind == Weights::softmax;
  return {.q = 0, .k = sum_to_1, .v = sum_to_1, .o = 0};
}

}  // namespace xf::exercise
