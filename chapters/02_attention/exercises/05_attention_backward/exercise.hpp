#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

struct AttentionGradients {
  xt::xtensor<float, 2> dq, dk, dv;  // (T, d_k), (S, d_k), (S, d_v)
};

// The gradients of O = softmax(Q K^T / sqrt(d_k)) V.           Vaswani et al. 2017, 3.2.1
//   q: (T, d_k)   k: (S, d_k)   v: (S, d_v)   dout: dO, (T, d_v)
AttentionGradients attention_backward(const xt::xtensor<float, 2>& q,
                                      const xt::xtensor<float, 2>& k,
                                      const xt::xtensor<float, 2>& v,
                                      const xt::xtensor<float, 2>& dout);

}  // namespace xf::exercise
