#pragma once

#include <utility>

#include "08_transformer_xl/config.hpp"

namespace xf::language {

// The cost of predicting one token with an attention length of L, in floating-point operations of
// the matrix products (a multiplication and an addition count as two), for the three ways of
// `speed`. All have layers with the same width D, the same heads and Dff hidden units.
struct TokenCost {
  double d_model, d_ff, layers, vocabulary;

  explicit TokenCost(const TransformerXlConfig& c)
      : d_model(c.d_model), d_ff(c.d_ff), layers(c.layers), vocabulary(c.vocabulary) {}

  // The window of L tokens moves by one, and everything is recomputed:
  //   L (4 D^2 + 2 D Dff) for the weights,   2 D L^2 for the scores and the sums of the values
  double vanilla(double length) const {
    return whole(length * (4 * d_model * d_model + 2 * d_model * d_ff) +
                 2 * d_model * length * length);
  }
  // A segment of T tokens after a memory of M states, S = M + T, shared by its T tokens:
  //   T (2 D^2 + 2 D Dff) for q, o and the hidden layer,   3 D^2 S for k, v and W_kR R,
  //   3 D T S for the two kinds of scores and the sums of the values
  double states(double segment, double memory) const {
    const double keys = memory + segment;
    return whole((2 * d_model * d_model + 2 * d_model * d_ff) +
                 3 * d_model * d_model * keys / segment + 3 * d_model * keys);
  }
  // The same when the memory's k and v, and W_kR R, are kept:
  //   T (4 D^2 + 2 D Dff),   3 D T S
  double keys(double segment, double memory) const {
    return whole(4 * d_model * d_model + 2 * d_model * d_ff + 3 * d_model * (memory + segment));
  }

 private:
  // All layers, and the logits of one token.
  double whole(double multiply_adds_of_a_layer) const {
    return 2 * (layers * multiply_adds_of_a_layer + d_model * vocabulary);
  }
};

// The slowdown of the vanilla model at one of the paper's lengths: "up to 1,800+ times", on one
// GPU; 0 at any other.   Dai et al. 2019, table 9
inline double published_ratio(int length) {
  constexpr std::pair<int, double> ratios[] = {{800, 363}, {1800, 773}, {2800, 1409}, {3800, 1874}};
  for (const auto& [at, ratio] : ratios)
    if (at == length) return ratio;
  return 0;
}

}  // namespace xf::language
