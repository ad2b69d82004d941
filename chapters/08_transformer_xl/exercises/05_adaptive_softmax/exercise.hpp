#pragma once

#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

struct Cluster {
  int first;                   // the id of its first word
  xt::xtensor<float, 2> down;  // P, (D, D_c)
  xt::xtensor<float, 2> out;   // W, (D_c, V_c)
};

// log p of each target. Words below the first cluster are columns of the head, the clusters are the
// columns behind them.                                        Grave et al. 2017, 4.2
//   x: (N, D)   head: (D, H + C)   clusters: C, by their first word   targets: N   returns (N)
xt::xtensor<float, 1> log_probabilities(const xt::xtensor<float, 2>& x,
                                        const xt::xtensor<float, 2>& head,
                                        const std::vector<Cluster>& clusters,
                                        const std::vector<int>& targets);

// How many multiplications a full softmax takes for these targets, for each that the above takes.
double products_saved(const xt::xtensor<float, 2>& head, const std::vector<Cluster>& clusters,
                      const std::vector<int>& targets);

}  // namespace xf::exercise
