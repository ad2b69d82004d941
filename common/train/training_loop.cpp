#include "train/training_loop.hpp"

#include "tensor/random.hpp"

namespace xf {

void train(Trainer& t, TrainingWatcher& watcher) {
  while (!watcher.finished()) {
    t.begin_epoch();
    const auto update = static_cast<std::uint64_t>(t.updates());

    const ShardedBatch batch = t.task.batch();
    const ShardLosses& losses =  // forward, loss and backward: one shard per thread
        t.parallel.run(batch.shards, mix(t.seed) + update, batch.loss);
    GradientSums g = t.exchange->sum(t.parallel.gradients(), &t.parallel.losses());
    clip(g, t.longest);
    t.adam.step(g, t.schedule(t.updates() + 1, watcher.progress()));
    t.exchange->share_weights();

    watcher.updated(double(losses), batch.tokens);
    if (watcher.is_due(t.end_epoch())) watcher.validate();
    if (watcher.interrupted()) break;
  }
  watcher.save();
}

void Trainer::begin_epoch() {
  if (!begun_) task.start_epoch(epoch);
  begun_ = true;
}

bool Trainer::end_epoch() {
  if (task.epoch_share() < 1) return false;
  ++epoch;
  task.end_epoch();
  begun_ = false;
  return true;
}

}  // namespace xf
