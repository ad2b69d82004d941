#pragma once

#include <vector>

#include "ops/shape/growing_rows.hpp"

namespace xf {

// For each query, the indices of the rows that it attends to, in the matrices of keys and values.
using RowLists = std::vector<std::vector<int>>;

// Attention for decoding, one query per sentence: keys and values are never moved; each query has a
// list of rows that it may attend to, so that nothing is copied or masked from step to step. For
// query b and head h, with Dk = D / heads and the columns [h Dk, (h+1) Dk) of q, K, V:
//   y_b = softmax(q_b K^T / sqrt(Dk)) V,   K, V: the rows listed in seen[b]; 0 for an empty list
//   q: (B, 1, D)   keys, values: (N, D)   returns (B, 1, D)
// A recorder gets the weights (B, H, 1, longest list), in the order of the lists.
// Not differentiable. Equal, up to rounding, to attention() on copies of the rows.
// Throws std::invalid_argument if the sizes do not fit or a list names a row that does not exist.
Tensor attend_rows(const Tensor& q, const GrowingRows& keys, const GrowingRows& values,
                   const RowLists& seen, int heads);

}  // namespace xf
