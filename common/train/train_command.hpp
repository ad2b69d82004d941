#pragma once

#include <optional>
#include <string>

#include "io/config.hpp"
#include "program/program.hpp"
#include "program/saved_fields.hpp"
#include "train/model_directory.hpp"
#include "train/training_directory.hpp"

namespace xf {

// Throws UserError when `out` holds a model or a part of one, unless `resume` continues it. A
// config.json alone is left by a run that was killed before its first checkpoint: it must equal the
// `config` of the fresh run that starts there.
void refuse_known_model(const std::string& out, bool resume);
void refuse_other_config(const std::string& out, const std::string& config);

// The options of the run in `out`. Throws UserError when there is no checkpoint.
struct SavedRun {
  std::string options;  // as JSON
  std::uint64_t seed = 0;
  double best = -1;  // best validation score so far; -1: none
};
SavedRun saved_run(const std::string& out);

// What the `train` commands of chapters 7 and 8 have in common, in the order in which they call it.
// All throw UserError naming the flag or the file. --out is the model directory.
class TrainCommand {
 public:
  // Locks the directory, which must belong to this run. `app` is the subcommand, which knows which
  // flags were given.
  TrainCommand(const CLI::App& app, const CommonOptions& common, bool resume);

  // Flags of the started run need not be repeated; those given again must agree.
  template <class Options>
  void take_saved(Options& options) const {
    if (!resume_) return;
    const std::string path = checkpoint_path(out_);
    auto saved = from_json<Options>(run_.options, path);
    if (saved.run.vocab < 0 && is_given(app_, "--vocab")) saved.run.vocab = options.run.vocab;
    if (saved.run.min_count < 0 && is_given(app_, "--min-count"))
      saved.run.min_count = options.run.min_count;
    xf::take_saved(app_, config_fields(options), config_fields(saved), path);
  }
  // A run with validation must continue with it: its `valid_flags` must be given again.
  void keep_validating(bool validates, const std::string& valid_flags) const;
  // The last step before the training, and the first that writes; from here on, Ctrl-C saves.
  void describe(const std::string& config, const std::function<void()>& save_description);
  // Checks that the directory is complete, and says how the run has ended. Returns the exit
  // code.
  int end(bool done) const;

  const std::string& out() const { return out_; }
  bool resume() const { return resume_; }
  std::uint64_t seed() const { return run_.seed; }

 private:
  const CLI::App& app_;
  std::string out_;
  bool resume_;
  std::optional<TrainingDirectory> held_;  // locked by the first process
  SavedRun run_;
  std::function<void()> save_description_;
};

}  // namespace xf
