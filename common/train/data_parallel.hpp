#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "autograd/tape.hpp"
#include "train/exchange/shard_losses.hpp"

namespace xf {

// How many shards a batch is cut into. In `same` arithmetic it is `fixed`, so that the sums over
// the shards do not depend on the number of threads or processes; otherwise it is the number of
// threads of all processes.
int shards_of_batch(int fixed = 4);
// Gives all processes the tensor of the process that owns this shard. Each must call it, but need
// not define tensors for other shards. returns it, on the CPU
Tensor from_process_of(int shard, int shards, const Tensor& own);

// One batch, cut into shards that run in parallel, on threads and in processes: each has its own
// tape and its own gradients, the sum of which is the gradient of the batch.
class DataParallel {
 public:
  // loss_of(i) computes the loss of shard i on the thread that calls it, already divided by the
  // number of tokens in the whole batch. Dropout is active; `seed` and i determine its masks.
  // Each process computes its own shards. Returns the losses of all; gradients() then holds one set
  // for each shard of this process, or, in `fast` arithmetic, for each thread, which adds up those
  // of its shards. Both are valid until the next run.
  const ShardLosses& run(int shards, std::uint64_t seed, const std::function<Tensor(int)>& loss_of);
  std::span<Gradients> gradients() { return gradients_; }
  ShardLosses& losses() { return losses_; }

 private:
  std::vector<Gradients> gradients_;
  ShardLosses losses_;
};

}  // namespace xf
