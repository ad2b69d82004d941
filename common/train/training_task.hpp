#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/safetensors.hpp"
#include "train/checkpoint.hpp"
#include "train/data_parallel.hpp"
#include "train/exchange/exchange.hpp"
#include "train/schedule.hpp"

namespace xf {

struct BatchLoss {
  double loss = 0;  // the mean over the batch
  int tokens = 0;
};

struct Validation {
  std::optional<double> score;  // at least 0; none: there is nothing to validate with
  std::string report;           // goes on with "epoch 3  update 300  0:20  loss 1.2345"
  std::string columns;          // goes on with a line of history.csv: ",1.2,3.4"
  std::string note = "";        // a line of its own, below the report
};

// What a chapter adds to the loop: its batches, its loss, its validation.
class TrainingTask {
 public:
  virtual ~TrainingTask() = default;

  virtual std::vector<NamedParameter> parameters() = 0;
  // Before the first batch of a (resumed) run and of every epoch.
  virtual void start_epoch(int epoch) = 0;
  // After the last batch of an epoch: the next one is again the first.
  virtual void end_epoch() = 0;
  // Which share of the epoch's batches has been taken; 1: all.
  virtual double epoch_share() const = 0;
  // The losses and gradients of the next batch, left in `parallel`. Returns its tokens.
  virtual int batch(DataParallel& parallel, std::uint64_t seed) = 0;
  // Of the model as it is, on the validation text; 0 without one. Where the mean of the last
  // checkpoints has a lower one, the mean is validated.
  virtual double valid_loss() = 0;
  virtual Validation validate(double valid_loss) = 0;
  virtual std::string history_columns() const = 0;  // ",valid_loss"

  // What the checkpoint holds of the task, and how it goes on from there. restore() throws
  // UserError when the checkpoint is of another run.
  virtual Counters counters() const = 0;
  virtual NamedTensors tensors() const { return {}; }
  virtual void restore(const Counters& counters, const std::string& path) = 0;
};

struct Diverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Adam over the batches of a task, an update at a time: a training without its files. Its owner
// takes the epochs one by one:
//   steps.start_epoch();
//   while (...) {
//     const BatchLoss batch = steps.update(progress);
//     if (steps.end_epoch()) steps.start_epoch();
//   }
class TrainingSteps {
 public:
  // clip: what the gradient's norm is cut to; 0: never
  TrainingSteps(TrainingTask& task, const AdamOptions& adam, double clip, const Schedule& schedule,
                std::uint64_t seed, bool shared_state = false)
      : task_(task),
        exchange_(make_exchange(task.parameters(), shared_state)),
        adam_(exchange_->own(), adam),
        clip_(clip),
        schedule_(schedule),
        seed_(seed) {}
  TrainingSteps(const TrainingSteps&) = delete;
  TrainingSteps& operator=(const TrainingSteps&) = delete;

  void start_epoch() { task_.start_epoch(epoch_); }
  // Was the last update the last one of its epoch? Then the next one is of the next.
  bool end_epoch();

  // progress: which share of the training is done (schedule.hpp). Throws Diverged when the loss or
  // a gradient is not finite; then no parameter has changed.
  BatchLoss update(double progress);

  int updates() const { return adam_.steps(); }
  int epoch() const { return epoch_; }
  // How many epochs were read, with the part of the present one.
  double epochs() const { return epoch_ + task_.epoch_share(); }
  double rate(double progress) const { return schedule_(std::max(1, updates()), progress); }

  // For a checkpoint, and to go on from one.
  Adam& adam() { return adam_; }
  Exchange& exchange() { return *exchange_; }
  void resume(int epoch) { epoch_ = epoch; }

 private:
  TrainingTask& task_;
  std::unique_ptr<Exchange> exchange_;
  Adam adam_;
  double clip_;
  Schedule schedule_;
  DataParallel parallel_;
  std::uint64_t seed_;
  int epoch_ = 0;
};

}  // namespace xf
