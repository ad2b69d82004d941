#include "train/data_parallel.hpp"

#include <algorithm>

#include "ops/dropout/dropout.hpp"
#include "tensor/parallel.hpp"
#include "tensor/random.hpp"

namespace xf {

int shards_of_batch() {
  const bool same = arithmetic() == Arithmetic::same && default_device() == Device::cpu;
  return same ? 4 : threads();
}

const ShardLosses& DataParallel::run(int shards, std::uint64_t seed,
                                     const std::function<Tensor(int)>& loss_of) {
  const bool same = arithmetic() == Arithmetic::same;
  const int sets = same ? shards : std::min(shards, threads());
  gradients_.resize(static_cast<std::size_t>(sets));
  losses_.start(sets);
  run_parallel(sets, [&](int set) {
    Gradients& gradients = gradients_[static_cast<std::size_t>(set)];
    gradients.reset();
    for (int shard = set; shard < shards; shard += sets) {
      const Training training(mix(seed ^ mix(static_cast<std::uint64_t>(shard) + 1)));
      Tape tape;
      const Tensor loss = loss_of(shard);
      losses_.add(set, loss);
      tape.backward(loss, gradients);
    }
  });
  return losses_;
}

}  // namespace xf
