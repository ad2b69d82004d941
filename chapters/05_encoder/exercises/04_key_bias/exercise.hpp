#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

using Matrix = xt::xtensor<float, 2>;
using Row = xt::xtensor<float, 1>;

// How scores become weights: each row by a softmax, or each score on its own, 1 / (1 + exp(-z)).
enum class Weights { softmax, sigmoid };

// y = weights(z) v with z = (q + b_q) (k + b_k)^T / sqrt(d_k), for one head and one sentence.
struct Projected {
  Matrix q, k, v;  // (T, d_k), (S, d_k), (S, d_v), without biases
  Row b_q, b_k;    // (d_k)
};

// The gradients of both biases, from that of y, (T, d_v).
struct BiasGradients {
  Row b_q, b_k;  // (d_k)
};
BiasGradients bias_gradients(const Projected& of, const Matrix& dy, Weights kind);

// What b_v gives to the output does not depend on the weights, as long as their rows sum to 1: the
// bias of the output that does the work of both, so that b_v can be 0.
//   w_o: (D, D), y = x W_O^T + b_o   b_v, b_o: (D)   returns (D)
Row merged_bias(const Matrix& w_o, const Row& b_v, const Row& b_o);

// Your answer, as far as it is numbers: of a bias for the queries, the keys, the values and the
// output, which can be left out without the layer being able to do less? 1 for it can, 0 for not,
// the others staying, for every W_O, also one without an inverse. Each kind of weights has an
// answer of its own.
struct Written {
  int q, k, v, o;
};
Written written(Weights kind);

}  // namespace xf::exercise
