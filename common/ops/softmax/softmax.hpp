#pragma once

#include <memory>
#include <vector>

#include "autograd/tape.hpp"

namespace xf {

// Sentences that lie end to end in one row of N positions, instead of padded in a row each:
// sentence i is the positions starts[i] ... starts[i + 1] - 1, and the last start is N. A query
// attends to the keys of its own sentence: a mask of blocks on the diagonal.
struct Packing {
  std::vector<int> queries, keys;  // starts; as many of both
  bool causal = false;             // query t of a sentence sees its keys 0 ... t only
};

// Which key each query may attend to: 1 = may, 0 = may not. Shape (B|1, T|1, S); an axis of
// size 1 stands for all. An undefined mask allows everything.
struct Mask {
  Ids allowed;
  std::shared_ptr<const Packing> packing = nullptr;  // or, with B = 1: of packed sentences
  bool defined() const { return allowed.defined(); }
};

struct SoftmaxOptions {
  float scale = 1.0f;
  Mask mask = {};
};

// y = softmax(scale * x) over the last axis, among the allowed positions only:
//   y_j = m_j exp(scale x_j) / sum_k m_k exp(scale x_k)
// A row that is allowed nothing gives zeros (not NaN, and not a uniform row).
//   x: (..., S), or (B, H, T, S) with a mask (B|1, T|1, S)   returns the shape of x
// Masked elements of x are never used: they may be infinite or NaN.
// backward: dx_j = scale y_j (dy_j - sum_k dy_k y_k).
// Throws std::invalid_argument when the mask does not fit or the scale is not positive.
Tensor softmax(const Tensor& x, const SoftmaxOptions& options = {});

}  // namespace xf
