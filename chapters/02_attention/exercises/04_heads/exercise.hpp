#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

// Head h gets the columns h Dk ... (h + 1) Dk - 1 of every word: y(h, t, i) = x(t, h Dk + i).
//   x: (T, D)   Dk = D / heads   returns (H, T, Dk)
xt::xtensor<float, 3> split(const xt::xtensor<float, 2>& x, int heads);

// The heads side by side again, so that merge(split(x, heads)) is x.
//   y: (H, T, Dk)   returns (T, D)
xt::xtensor<float, 2> merge(const xt::xtensor<float, 3>& y);

// Every head attends separately, in its own columns.               Vaswani et al. 2017, 3.2.2
//   q: (T, D)   k, v: (S, D)   returns (T, D)
xt::xtensor<float, 2> multi_head(const xt::xtensor<float, 2>& q, const xt::xtensor<float, 2>& k,
                                 const xt::xtensor<float, 2>& v, int heads);

// The attention of 02-01 for one head, softmax(q k^T / sqrt(d_k)) v, where d_k is the width of q.
//   q: (T, Dk)   k: (S, Dk)   v: (S, Dv)   returns (T, Dv)
inline xt::xtensor<float, 2> attend(const xt::xtensor<float, 2>& q, const xt::xtensor<float, 2>& k,
                                    const xt::xtensor<float, 2>& v) {
  const float root_dk = std::sqrt(static_cast<float>(q.shape(1)));
  const Tensor scores = matmul(from_xt(q), from_xt(k), Transpose::yes);  // (T, S)
  return to_xt<2>(matmul(softmax(scores, {.scale = 1 / root_dk}), from_xt(v)));
}

}  // namespace xf::exercise
