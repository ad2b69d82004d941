#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/safetensors.hpp"
#include "train/checkpoint.hpp"

namespace xf {

// A batch, cut into shards that may run side by side.
struct ShardedBatch {
  int tokens = 0;  // that are predicted, in all shards
  int shards = 1;
  std::function<Tensor(int shard)> loss;  // the shard's, already divided by `tokens`
};

struct Validation {
  std::optional<double> score;  // at least 0; none: there is nothing to validate with
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
  // After the last batch of an epoch: the next one is the first again.
  virtual void end_epoch() = 0;
  // The share of the epoch's batches that has been taken; 1: all.
  virtual double epoch_share() const = 0;
  virtual ShardedBatch batch() = 0;  // the next one
  // Of the current model, on the validation text; 0 without one. Where the mean of the last
  // checkpoints has a lower one, the mean is validated.
  virtual double valid_loss() = 0;
  virtual Validation validate(double valid_loss) = 0;
  virtual std::string history_columns() const = 0;  // ",valid_loss"

  // The task's part of the checkpoint, and how it resumes from there. restore() throws
  // UserError when the checkpoint is of another run.
  virtual Counters counters() const = 0;
  virtual NamedTensors tensors() const { return {}; }
  virtual void restore(const Counters& counters, const std::string& path) = 0;
};

}  // namespace xf
