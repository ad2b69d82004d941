#include "train/data_parallel.hpp"

#include <algorithm>
#include <numeric>

#include "ops/dropout/dropout.hpp"
#include "tensor/parallel.hpp"
#include "tensor/random.hpp"

namespace xf {

double DataParallel::run(int shards, std::uint64_t seed,
                         const std::function<Tensor(int)>& loss_of) {
  const int workers = std::min(shards, threads());
  gradients_.resize(static_cast<std::size_t>(workers));
  std::vector<double> losses(static_cast<std::size_t>(shards), 0.0);
  run_parallel(workers, [&](int worker) {
    Gradients& gradients = gradients_[static_cast<std::size_t>(worker)];
    gradients.reset();
    for (int shard = worker; shard < shards; shard += workers) {
      const Training training(mix(seed ^ mix(static_cast<std::uint64_t>(shard) + 1)));
      Tape tape;
      const Tensor loss = loss_of(shard);
      losses[static_cast<std::size_t>(shard)] = loss.item();
      tape.backward(loss, gradients);
    }
  });
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

}  // namespace xf
