#pragma once

#include "ops/dropout/dropout.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/embedding/embedding.hpp"

namespace xf {

// Embedding dropout: drops whole words of the vocabulary, each at every occurrence in the segments
// that are read together (each shard of a batch draws its own), so that the model must do without.
//   y[b, t] = x[b, t] keep[ids[b, t]],   keep = 1 / (1 - p) with probability 1 - p, else 0
//                                        Merity et al. 2017, 4.3, after Gal and Ghahramani 2016
// Only the input is affected: the table stays complete, and a tied output still has every word.
//   x: (B, T, D), the embedded ids   ids: (B, T)   returns (B, T, D)
// Without an active Training it is the identity. Throws std::invalid_argument unless 0 <= p < 1,
// and for an id outside the vocabulary.
inline Tensor drop_words(const Tensor& x, const Ids& ids, int vocabulary, float p) {
  if (p == 0 || !Training::active()) return x;
  const Tensor keep = dropout(Tensor::full({vocabulary, 1}, 1.0f, Device::cpu), p);  // (V, 1)
  return scale_rows(x, embedding(ids, keep).to(x.device()));                         // (B, T, D)
}

}  // namespace xf
