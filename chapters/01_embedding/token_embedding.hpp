#pragma once

#include <cmath>

#include "nn/init.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/embedding/embedding.hpp"

namespace xf {

// A learned vector for every token of the vocabulary, times sqrt(D).
//   E(ids) = sqrt(D) weight[ids]                                  Vaswani et al. 2017, 3.4
// The table is drawn with variance 1/D (so that it can also serve as the output projection);
// the factor sqrt(D) brings its rows to the size of the position encoding that is added next.
struct TokenEmbedding {
  Tensor weight;  // (V, D)
  bool scaled;    // false: without the factor, for models that omit it

  TokenEmbedding(int vocabulary, int d_model, Random& random, bool with_factor = true)
      : weight(normal({vocabulary, d_model}, 1 / std::sqrt(double(d_model)), random)),
        scaled(with_factor) {}

  // ids: (B, T)   returns (B, T, D). Throws std::invalid_argument for an id outside [0, V).
  Tensor operator()(const Ids& ids) const {
    const float root_d = std::sqrt(static_cast<float>(weight.size(1)));
    const Tensor rows = embedding(ids, weight);  // (B, T, D)
    return scaled ? scale(rows, root_d) : rows;  // (B, T, D)
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("weight", weight);
  }
};

}  // namespace xf
