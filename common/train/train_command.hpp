#pragma once

#include <string>

#include "train/training_run.hpp"

namespace xf {

// What the `train` commands of chapters 7 and 8 have in common. `out` is the model directory.

// Throws UserError when `out` holds a model or a part of one, unless `resume` goes on with it. A
// config.json alone is what a run leaves that is killed before its first checkpoint: it must be the
// `config` of the fresh run that begins there again.
void refuse_known_model(const std::string& out, bool resume);
void refuse_other_config(const std::string& out, const std::string& config);

// What the run in `out` was started with. Throws UserError when there is no checkpoint.
struct SavedRun {
  std::string options;  // as JSON
  std::uint64_t seed;
  double best = -1;  // validation so far, in what the task counts; -1: there was none
};
SavedRun saved_run(const std::string& out);

// Throws UserError naming the flag of a value that is out of range.
void check_at_least(const char* flag, double least, double value);
void check_limits(const RunLimits& limits);

// Says how a run has ended. Returns the exit code.
int say_end(bool done, const std::string& out);

}  // namespace xf
