#pragma once

#include "support/processes.hpp"

namespace xf::exercise {

// A process's share of a batch. Processes have as many tokens as their sentences happen to have,
// and some may have none: then all their targets are padding.
struct Shard {
  Tensor x;     // (S, D), what goes into the last layer
  Ids targets;  // (S), 0 to V - 1, or -1: padding, which is no token
};

struct Step {
  float loss;                   // the mean over all tokens of all shards
  float norm;                   // of its gradient, before clipping
  std::vector<float> gradient;  // (D V), that of the loss by w, clipped: g min(1, limit / |g|)
};

// What one process would get that has all shards, at every process. The logits are x w. Without any
// token all is 0.
//   w: (D, V), the same at every process, a parameter
Step step_of_batch(Endpoint& self, const Tensor& w, const Shard& own, float limit);

}  // namespace xf::exercise
