#pragma once

#include <limits>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

struct Case {
  xt::xtensor<float, 2> q, k, v, may;  // (T, d_k), (S, d_k), (S, d_v), (T, S)
};

enum class Mistake {
  none,
  no_scale,
  scale_by_keys,
  softmax_down,
  no_largest,
  mask_after,
  mask_is_zero,
  no_mask_last,
};

// One to three inputs. Each mistake changes the output of at least one of them by more than 0.01.
std::vector<Case> cases();

// softmax(q k^T / sqrt(d_k)) v over the keys that may be seen, with one mistake or none.
inline xt::xtensor<float, 2> attention(const Case& in, Mistake mistake) {
  const std::size_t t = in.q.shape(0), s = in.k.shape(0);
  const std::size_t size = mistake == Mistake::scale_by_keys ? s : in.q.shape(1);
  xt::xtensor<float, 2> w = xt::linalg::dot(in.q, xt::transpose(in.k));
  if (mistake != Mistake::no_scale) w /= std::sqrt(static_cast<float>(size));
  const auto hidden = [&](std::size_t i, std::size_t j) {
    const bool looked_at = mistake != Mistake::no_mask_last || i + 1 < t;
    return in.may(i, j) == 0 && mistake != Mistake::mask_after && looked_at;
  };
  const float nothing = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < t; ++i)
    for (std::size_t j = 0; j < s; ++j)
      if (hidden(i, j)) w(i, j) = mistake == Mistake::mask_is_zero ? 0 : nothing;
  const std::size_t axis = mistake == Mistake::softmax_down ? 0 : 1;
  if (mistake != Mistake::no_largest) {
    const xt::xtensor<float, 2> largest = xt::amax(w, {axis}, xt::keep_dims);
    w -= largest;
  }
  w = xt::exp(w);
  const xt::xtensor<float, 2> total = xt::sum(w, {axis}, xt::keep_dims);
  w /= total;
  if (mistake == Mistake::mask_after) w *= in.may;
  return xt::linalg::dot(w, in.v);
}

}  // namespace xf::exercise
