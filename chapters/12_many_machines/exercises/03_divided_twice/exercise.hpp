#pragma once

#include "support/processes.hpp"

namespace xf::exercise {

// A process's share of a batch. The number of tokens differs from process to process. If a process
// has no token, all its targets are padding.
struct Shard {
  Tensor x;     // (S, D), the input of the last layer
  Ids targets;  // (S), 0 to V - 1, or -1 for padding, which is not a token
};

struct Step {
  float loss;                   // the mean over all tokens of all shards
  float norm;                   // of the gradient, before clipping
  std::vector<float> gradient;  // (D V), the clipped gradient of the loss: g min(1, limit / |g|)
};

// Returns in every process what a single process with all shards would get. The logits are x w. If
// no shard has a token, everything is 0.
//   w: (D, V), a parameter that is the same in every process
Step step_of_batch(Endpoint& self, const Tensor& w, const Shard& own, float limit);

}  // namespace xf::exercise
