#pragma once

#include "tensor/xt_linalg.hpp"

namespace xf::lesson_02 {

// The lesson's equations in xtensor, one sentence and one head at a time.

// softmax of every row.   x: (T, S)   returns (T, S)
inline xt::xtensor<float, 2> softmax_rows(const xt::xtensor<float, 2>& x) {
  const xt::xtensor<float, 1> largest = xt::amax(x, {1});
  const xt::xtensor<float, 2> e = xt::exp(x - xt::view(largest, xt::all(), xt::newaxis()));
  const xt::xtensor<float, 1> sums = xt::sum(e, {1});
  return e / xt::view(sums, xt::all(), xt::newaxis());
}

// softmax(q k^T / sqrt(d_k)) v.   q: (T, Dk)   k, v: (S, Dk)   returns (T, Dk)
inline xt::xtensor<float, 2> attend(const xt::xtensor<float, 2>& q, const xt::xtensor<float, 2>& k,
                                    const xt::xtensor<float, 2>& v) {
  const xt::xtensor<float, 2> scores = xt::linalg::dot(q, xt::transpose(k));
  return xt::linalg::dot(softmax_rows(scores / std::sqrt(float(q.shape(1)))), v);
}

}  // namespace xf::lesson_02
