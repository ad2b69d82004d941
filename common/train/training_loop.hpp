#pragma once

#include <memory>

#include "train/adam.hpp"
#include "train/data_parallel.hpp"
#include "train/exchange/exchange.hpp"
#include "train/schedule.hpp"
#include "train/training_task.hpp"

namespace xf {

// The training task with the tools that the loop needs.
struct Trainer {
  TrainingTask& task;
  Schedule schedule;
  double longest;  // the gradient's norm is clipped to this; 0: never
  std::uint64_t seed;
  std::unique_ptr<Exchange> exchange;
  Adam adam;
  DataParallel parallel = {};
  int epoch = 0;

  Trainer(TrainingTask& trained, const AdamOptions& options, double clip, const Schedule& rates,
          std::uint64_t random, bool shared_state = false)
      : task(trained),
        schedule(rates),
        longest(clip),
        seed(random),
        exchange(make_exchange(task.parameters(), shared_state)),
        adam(exchange->own(), options) {}

  int updates() const { return adam.steps(); }
  // How many epochs have been read, including the part of the current one.
  double epochs() const { return epoch + task.epoch_share(); }
  // Call before the first batch of an epoch or of a resumed run.
  void begin_epoch();
  // Ends the epoch if its last batch has been taken; returns whether it did.
  bool end_epoch();

 private:
  bool begun_ = false;
};

// Hooks for the code around the loop. This base class only ends the loop after this many updates.
class TrainingWatcher {
 public:
  explicit TrainingWatcher(int updates = 0) : left_(updates) {}
  virtual ~TrainingWatcher() = default;

  virtual bool finished() { return left_ == 0; }
  virtual double progress() { return 0; }  // completed share of the training, in [0, 1]
  // After each update: loss is the mean over the batch's tokens.
  virtual void updated(double /*loss*/, int /*tokens*/) { --left_; }
  virtual bool is_due(bool /*epoch_done*/) { return false; }  // is a validation due?
  virtual void validate() {}
  virtual bool interrupted() { return false; }
  virtual void save() {}

 private:
  int left_;
};

// The loop of page 00: updates until the watcher is finished. Throws NotFinite when the loss or a
// gradient is not finite; then no parameter has changed.
void train(Trainer& t, TrainingWatcher& watcher);

}  // namespace xf
