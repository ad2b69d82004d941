#pragma once

#include <string>

#include "train/model_directory.hpp"
#include "train/progress.hpp"
#include "train/run_options.hpp"
#include "train/training_loop.hpp"

namespace xf {

// Which of two scores is better.
enum class Best { highest, lowest };

struct TrainingSetup {
  RunOptions run;
  double peak;  // learning rate
  double beta2 = AdamOptions{}.beta2, epsilon = AdamOptions{}.epsilon;
  Best best;
  std::string directory;  // contains model, checkpoint and history.csv
  std::uint64_t seed;
  std::string options;  // of the run, as JSON
  std::string text;     // the fingerprint of the training text
  std::string valid;    // of the validation text
  std::string unit;     // in which batch sizes are given: "tokens"
};

// What every `train` command does around the loop (training_loop.hpp), until the first limit.
// Writes model.safetensors (the best so far, or for equal scores the one with the lower validation
// loss; without validation, the last), checkpoint.safetensors (at the beginning, at every
// validation and at the end) and history.csv to the directory, and prints the progress. With
// `resume` it continues from the checkpoint, exactly if there are as many threads as before; throws
// UserError if the checkpoint was made with another seed, text or model. Throws std::runtime_error
// if the loss or a gradient is no longer finite. Returns false if it was interrupted
// (program/program.hpp), after saving a checkpoint.
bool run_training(TrainingTask& task, const TrainingSetup& setup, bool resume);

}  // namespace xf
