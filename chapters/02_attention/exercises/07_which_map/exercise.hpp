#pragma once

#include <cstdio>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

// What was done to a causal self-attention, softmax(q k^T / sqrt(d_k)) over the keys j <= i.
enum class Fault {
  healthy,
  no_scale,       // not divided by sqrt(d_k)
  divided_twice,  // divided by d_k
  softmax_down,   // the softmax over the queries, down a column
  no_mask,        // every query sees every key
  mask_late,      // query i sees the keys j <= i + 1
  mask_after,     // weights of the future set to 0 after the softmax over all keys
};

// Which map is which? There are seven, one of each kind, in any order. Only the weights are
// known, (T, T), a row for each query; d_k is 64.
std::vector<Fault> which(const std::vector<xt::xtensor<float, 2>>& maps);

// Prints a map, a row for each query: from ' ' for less than 0.01 to '@' for more than 0.8.
inline void plot(const xt::xtensor<float, 2>& map) {
  const float steps[] = {0.01f, 0.05f, 0.1f, 0.2f, 0.4f, 0.8f};
  for (std::size_t i = 0; i < map.shape(0); ++i) {
    std::printf("|");
    for (std::size_t j = 0; j < map.shape(1); ++j) {
      int darkness = 0;
      for (float step : steps) darkness += map(i, j) > step;
      std::printf(" %c", " .:-+#@"[darkness]);
    }
    std::printf(" |\n");
  }
  std::printf("\n");
}

}  // namespace xf::exercise
