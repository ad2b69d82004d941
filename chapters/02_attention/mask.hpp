#pragma once

#include <algorithm>

#include "ops/softmax/softmax.hpp"

namespace xf {

// Masks say "may attend": 1 allows, 0 forbids. They are inputs of the softmax, never numbers
// added to the scores.

// Every key but the padding.   ids: (B, S)   returns (B, 1, S)
inline Mask padding_mask(const Ids& ids, std::int32_t pad) {
  Ids allowed = Ids::full({ids.size(0), 1, ids.size(1)}, 0);
  std::transform(ids.data(), ids.data() + ids.count(), allowed.data(),
                 [pad](std::int32_t id) { return id != pad; });
  return {allowed};
}

// Query i sits at position offset + i and sees the keys 0 ... offset + i (itself included).
//   returns (1, T, S) with T queries and S keys
inline Mask causal_mask(int queries, int keys, int offset = 0) {
  Ids allowed = Ids::full({1, queries, keys}, 0);
  for (int i = 0; i < queries; ++i)
    std::fill_n(allowed.data() + i * keys, std::min(keys, offset + i + 1), 1);
  return {allowed};
}

// What both allow.   a, b: (B|1, T|1, S), or undefined for "everything"
// Throws std::invalid_argument when the sizes do not fit.
inline Mask combine(const Mask& a, const Mask& b) {
  if (!a.defined()) return b;
  if (!b.defined()) return a;
  const Shape &left = a.allowed.shape(), &right = b.allowed.shape();
  Shape shape = left;
  for (int axis = 0; axis < 3; ++axis) {
    if (left[axis] != right[axis] && (axis == 2 || (left[axis] != 1 && right[axis] != 1)))
      throw std::invalid_argument("combine: masks " + left.str() + " and " + right.str());
    shape.set(axis, std::max(left[axis], right[axis]));
  }
  const auto element = [](const Ids& mask, int b_index, int t, int s) {
    const Shape& sizes = mask.shape();
    const int row = (sizes[0] == 1 ? 0 : b_index) * sizes[1] + (sizes[1] == 1 ? 0 : t);
    return mask.data()[row * sizes[2] + s];
  };
  Ids both = Ids::full(shape, 0);
  std::int32_t* out = both.data();
  for (int n = 0; n < shape[0]; ++n)
    for (int t = 0; t < shape[1]; ++t)
      for (int s = 0; s < shape[2]; ++s)
        *out++ = element(a.allowed, n, t, s) & element(b.allowed, n, t, s);
  return {both};
}

}  // namespace xf
