#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "io/safetensors.hpp"
#include "train/checkpoint.hpp"
#include "train/data_parallel.hpp"
#include "train/model_paths.hpp"
#include "train/progress.hpp"
#include "train/schedule.hpp"

namespace xf {

// A training ends at the first limit that it reaches; 0: there is none.
struct RunLimits {
  int updates = 0, epochs = 0;
  double minutes = 0;
  int valid_every = 0;  // updates between validations; 0: one at the end of every epoch
  int patience = 0;     // validations without a gain
};
// Those among the options of a `train` command.
template <class Options>
RunLimits limits_of(const Options& o) {
  return {o.updates, o.epochs, o.minutes, o.valid_every, o.patience};
}

struct RunSettings {
  RunLimits limits;
  AdamOptions adam;
  Schedule schedule;
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
  bool better;          // than all before: the model has been saved
  std::string report;   // goes on with "epoch 3  update 300  0:20  loss 1.2345"
  std::string columns;  // goes on with a line of history.csv: ",1.2,3.4"
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
  // Saves the model where it is the best so far.
  virtual Validation validate(int update) = 0;
  virtual std::string history_columns() const = 0;  // ",valid_loss"

  // What the checkpoint holds of the task, and how it goes on from there. restore() throws
  // UserError when the checkpoint is of another run.
  virtual Counters counters() const = 0;
  virtual NamedTensors tensors() const { return {}; }
  virtual void restore(const Counters& counters, int update, const std::string& path) = 0;
};

// The loop of every `train` command: Adam over the task's batches until the first limit. Writes
// checkpoint.safetensors (at the beginning, at every validation and at the end) and history.csv
// into the directory, and prints the progress. With `resume` it goes on from the checkpoint,
// exactly where there are as many threads as before: throws UserError when that was made with
// another seed, text or model. Throws std::runtime_error when the loss or a gradient stops being
// finite. Returns false when it was interrupted (io/program.hpp), after saving a checkpoint.
bool run_training(TrainingTask& task, const RunSettings& settings, bool resume);

// printf into a string.
template <class... Values>
std::string formatted(const char* format, Values... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

}  // namespace xf
