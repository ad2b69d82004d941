#pragma once

#include "support/kit.hpp"

namespace xf::exercise {

struct BatchNorm {
  xt::xtensor<float, 1> mean, var;  // (D), what is kept for evaluation
  float share = 0.1f;               // of a batch in what is kept
  float eps = 1e-5f;
};

// y = gamma (x - mean) / sqrt(var + eps) + beta, down each column. In training with the mean and
// the biased variance of the batch, after which norm.mean and norm.var (unbiased) move towards
// them; in evaluation with what was kept.                    Ioffe and Szegedy 2015, algorithm 1
//   x: (N, D)   gamma, beta: (D)   returns (N, D)
xt::xtensor<float, 2> batch_norm(BatchNorm& norm, const xt::xtensor<float, 2>& x,
                                 const xt::xtensor<float, 1>& gamma,
                                 const xt::xtensor<float, 1>& beta, bool training);

}  // namespace xf::exercise
