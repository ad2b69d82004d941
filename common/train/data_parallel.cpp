#include "train/data_parallel.hpp"

#include <algorithm>

#include "ops/dropout/dropout.hpp"
#include "tensor/parallel.hpp"
#include "tensor/random.hpp"

namespace xf {

ShardLoss::operator double() const {
  double sum = 0;
  for (const Gradients& shard : shards_) sum += shard.loss();
  return sum;
}

ShardLoss DataParallel::run(int shards, std::uint64_t seed,
                            const std::function<Tensor(int)>& loss_of) {
  const int workers = std::min(shards, threads());
  gradients_.resize(static_cast<std::size_t>(workers));
  run_parallel(workers, [&](int worker) {
    Gradients& gradients = gradients_[static_cast<std::size_t>(worker)];
    gradients.reset();
    for (int shard = worker; shard < shards; shard += workers) {
      const Training training(mix(seed ^ mix(static_cast<std::uint64_t>(shard) + 1)));
      Tape tape;
      tape.backward(loss_of(shard), gradients);
    }
  });
  return ShardLoss(gradients_);
}

}  // namespace xf
