#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/safetensors.hpp"
#include "train/checkpoint.hpp"

namespace xf {

// A batch, cut into shards that may run in parallel.
struct ShardedBatch {
  int tokens = 0;  // to be predicted, in all shards
  int shards = 1;
  std::function<Tensor(int shard)> loss;  // of one shard, already divided by `tokens`
};

struct Validation {
  std::optional<double> score;  // at least 0; none without validation text
  std::string report;           // continues "epoch 3  update 300  0:20  loss 1.2345"
  std::string columns;          // continues a line of history.csv: ",1.2,3.4"
  std::string note = "";        // a separate line below the report
};

// What a chapter adds to the loop: its batches, its loss, its validation.
class TrainingTask {
 public:
  virtual ~TrainingTask() = default;

  virtual std::vector<NamedParameter> parameters() = 0;
  // Before the first batch of a (resumed) run and of every epoch.
  virtual void start_epoch(int epoch) = 0;
  // Called after the last batch of an epoch: the next batch is the first one again.
  virtual void end_epoch() = 0;
  // The share of the epoch's batches that have been taken; 1: all.
  virtual double epoch_share() const = 0;
  virtual ShardedBatch batch() = 0;  // the next one
  // The loss of the current model on the validation text; 0 without one. If the mean of the last
  // checkpoints has a lower loss, the mean is validated.
  virtual double valid_loss() = 0;
  virtual Validation validate(double valid_loss) = 0;
  virtual std::string history_columns() const = 0;  // ",valid_loss"

  // The task's part of the checkpoint, and how to resume from it. restore() throws UserError if
  // the checkpoint is from another run.
  virtual Counters counters() const = 0;
  virtual NamedTensors tensors() const { return {}; }
  virtual void restore(const Counters& counters, const std::string& path) = 0;
};

}  // namespace xf
