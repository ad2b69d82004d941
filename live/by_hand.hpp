#pragma once

#include "live/fields.hpp"

namespace xf::live {

// {"q": [[2, 1]], "k": [[2, 0], [1, 1]], "v": [[1, 0], [0, 1]]}: chapter 2's attention for a
// few words with user-defined vectors: at most 8 words, 8 numbers each, from -1000 to 1000.
//   "scores"   q k^T             "scaled"   q k^T / sqrt(d_k)
//   "weights"  the softmax       "output"   weights v
Json by_hand(Fields& request);

}  // namespace xf::live
