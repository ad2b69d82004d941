#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/safetensors.hpp"
#include "train/checkpoint.hpp"
#include "train/data_parallel.hpp"
#include "train/model_directory.hpp"
#include "train/progress.hpp"
#include "train/run_options.hpp"

namespace xf {

// Which of two scores is better.
enum class Best { highest, lowest };

struct RunSettings {
  RunOptions run;
  double peak;  // learning rate
  double beta2 = AdamOptions{}.beta2, epsilon = AdamOptions{}.epsilon;
  Best best;
  std::string directory;  // of the model, the checkpoint and history.csv
  std::uint64_t seed;
  std::string options;  // what the run was started with, as JSON
  std::string text;     // the fingerprint of what it is trained on
  std::string unit;     // what a batch is counted in: "tokens"
};

struct BatchLoss {
  double loss;  // the mean over the batch
  int tokens;
};

struct Validation {
  std::optional<double> score;  // at least 0; none: there is nothing to validate with
  std::string report;           // goes on with "epoch 3  update 300  0:20  loss 1.2345"
  std::string columns;          // goes on with a line of history.csv: ",1.2,3.4"
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
  // The gradients of the next batch.
  virtual BatchLoss batch(DataParallel& parallel, std::uint64_t seed) = 0;
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

// The loop of every `train` command: Adam over the task's batches until the first limit. Writes
// model.safetensors (the best so far; without validation the last), checkpoint.safetensors (at the
// beginning, at every validation and at the end) and history.csv into the directory, and prints the
// progress. With `resume` it goes on from the checkpoint,
// exactly where there are as many threads as before: throws UserError when that was made with
// another seed, text or model. Throws std::runtime_error when the loss or a gradient stops being
// finite. Returns false when it was interrupted (io/program.hpp), after saving a checkpoint.
bool run_training(TrainingTask& task, const RunSettings& settings, bool resume);

}  // namespace xf
