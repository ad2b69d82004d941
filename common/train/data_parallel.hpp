#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "autograd/tape.hpp"
#include "train/shard_losses.hpp"

namespace xf {

// Into how many shards a batch is cut. In `same` arithmetic always 4, so that the sums over them do
// not depend on the threads; else, and on a GPU, as many as there are threads.
int shards_of_batch();

// One batch, cut into shards that run side by side: each has its own tape and its own gradients,
// whose sum is the batch's gradient - as across machines, without the network.
class DataParallel {
 public:
  // loss_of(i) computes the loss of shard i on the thread that calls it, already divided by the
  // number of tokens of the whole batch. Dropout is active, its masks fixed by `seed` and i.
  // Returns the losses; gradients() then holds one set per shard, or, in `fast` arithmetic, per
  // thread, which adds up those of its shards. Both last until the next run.
  const ShardLosses& run(int shards, std::uint64_t seed, const std::function<Tensor(int)>& loss_of);
  std::span<Gradients> gradients() { return gradients_; }
  ShardLosses& losses() { return losses_; }

 private:
  std::vector<Gradients> gradients_;
  ShardLosses losses_;
};

}  // namespace xf
