#pragma once

#include <algorithm>
#include <stdexcept>

#include "ops/mask.hpp"

namespace xf {

// Masks say "may attend": 1 allows, 0 forbids. They are inputs of the softmax, never numbers
// added to the scores.

// Every key but the padding.   ids: (B, S)   returns (B, 1, S)
inline Mask padding_mask(const Ids& ids, std::int32_t pad) {
  Ids allowed = Ids::full({ids.size(0), 1, ids.size(1)}, 0);
  std::transform(ids.begin(), ids.end(), allowed.begin(),
                 [pad](std::int32_t id) { return id != pad; });
  return allowed;
}

// Query i sits at position offset + i and sees the keys 0 ... offset + i (itself included).
//   returns (1, T, S) with T queries and S keys
inline Mask causal_mask(int queries, int keys, int offset = 0) {
  Ids allowed = Ids::full({1, queries, keys}, 0);
  for (int i = 0; i < queries; ++i)
    std::fill_n(allowed.begin() + i * keys, std::min(keys, offset + i + 1), 1);
  return allowed;
}

// What both allow. Two masks of the same packed sentences give another packed mask, any other two a
// dense one.
// Throws std::invalid_argument when the sizes do not fit.
inline Mask combine(const Mask& a, const Mask& b) {
  if (!a.defined()) return b;
  if (!b.defined()) return a;
  const Packing *one = a.packing(), *two = b.packing();
  if (one && two && one->queries == two->queries && one->keys == two->keys)
    return Packing{one->queries, one->keys, one->causal || two->causal};
  const Ids left = a.allowed(), right = b.allowed();
  Shape shape = left.shape();
  for (int axis = 0; axis < 3; ++axis) {
    const int m = left.size(axis), n = right.size(axis);
    if (m != n && (axis == 2 || (m != 1 && n != 1)))
      throw std::invalid_argument("combine: the sizes of the masks do not fit: " +
                                  left.shape().str() + " and " + right.shape().str());
    shape.set(axis, std::max(m, n));
  }
  const auto element = [](const Ids& mask, int b_index, int t, int s) {
    const Shape& sizes = mask.shape();
    const int row = (sizes[0] == 1 ? 0 : b_index) * sizes[1] + (sizes[1] == 1 ? 0 : t);
    return mask[row * sizes[2] + s];
  };
  Ids both = Ids::full(shape, 0);
  std::int32_t* out = both.begin();
  for (int n = 0; n < shape[0]; ++n)
    for (int t = 0; t < shape[1]; ++t)
      for (int s = 0; s < shape[2]; ++s) *out++ = element(left, n, t, s) & element(right, n, t, s);
  return both;
}

}  // namespace xf
