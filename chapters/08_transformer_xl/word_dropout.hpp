#pragma once

#include <algorithm>

#include "ops/dropout/dropout.hpp"
#include "ops/elementwise/elementwise.hpp"

namespace xf {

// Embedding dropout: entries of the vocabulary are dropped, each at all its places in the segments
// that are read at once, so that the others must do without it.
//   y[b, t] = x[b, t] keep[ids[b, t]],   keep = 1 / (1 - p) with probability 1 - p, else 0
//                                        Merity et al. 2018, 4.3, after Gal and Ghahramani 2016
// Only what goes in is dropped: the table stays whole, and a tied output still has every word.
//   x: (B, T, D), the embedded ids   ids: (B, T)   returns (B, T, D)
// Without an active Training it is the identity. Throws std::invalid_argument unless 0 <= p < 1.
inline Tensor drop_words(const Tensor& x, const Ids& ids, int vocabulary, float p) {
  if (p == 0 || !Training::active()) return x;
  const Tensor keep = dropout(Tensor::full({vocabulary}, 1.0f), p);  // (V)
  Tensor factors = Tensor::empty(x.shape());                         // (B, T, D)
  const int d = x.size(-1);
  for (std::ptrdiff_t i = 0; i < ids.count(); ++i)
    std::fill_n(factors.data() + i * d, d, keep.data()[ids.data()[i]]);
  return x * factors;
}

}  // namespace xf
