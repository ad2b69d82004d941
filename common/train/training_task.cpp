#include "train/training_task.hpp"

#include <cmath>

#include "tensor/random.hpp"

namespace xf {

BatchLoss TrainingSteps::update(double progress) {
  const double rate = schedule_(updates() + 1, progress);
  const int tokens = task_.batch(parallel_, mix(seed_) + static_cast<std::uint64_t>(updates()));
  ShardLosses& losses = parallel_.losses();
  try {
    GradientSums sums = exchange_->sum(parallel_.gradients(), &losses);
    clip(sums, clip_);
    adam_.step(sums, rate);
    exchange_->share_weights();
  } catch (const NotFinite& error) {
    throw Diverged(std::isfinite(double(losses)) ? error.what() : "the loss is not finite");
  }
  return {losses, tokens};
}

bool TrainingSteps::end_epoch() {
  if (task_.epoch_share() < 1) return false;
  ++epoch_;
  task_.end_epoch();
  return true;
}

}  // namespace xf
