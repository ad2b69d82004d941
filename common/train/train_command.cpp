#include "train/train_command.hpp"

#include <iostream>

#include "distributed/processes.hpp"
#include "io/files.hpp"
#include "io/numbers.hpp"
#include "io/printable.hpp"
#include "io/safetensors.hpp"
#include "train/checkpoint.hpp"

namespace xf {

namespace {

// The name of a file that training has left in `directory`, or "".
std::string trained_file(const std::string& directory) {
  for (const char* file : {"checkpoint.safetensors", "model.safetensors", "history.csv", "average"})
    if (exists(directory + "/" + file)) return file;
  return "";
}

// The directory to train in; --out must have been given explicitly.
const std::string& own_directory(const CLI::App& app, const std::string& out) {
  if (!is_given(app, "--out"))
    throw UserError("--out is missing: the directory to write the model to");
  return out;
}

}  // namespace

void refuse_known_model(const std::string& out, bool resume) {
  const std::string known = trained_file(out);
  if (known.empty() || resume) return;
  if (exists(checkpoint_path(out)))
    throw UserError("--out: {} already holds {}; --resume continues from it", out, known);
  throw UserError(
      "--out: {} already holds {}, but no checkpoint to continue from; remove it, or train "
      "elsewhere",
      out, known);
}

void refuse_other_config(const std::string& out, const std::string& config) {
  const std::string path = config_path(out);
  if (exists(path) && read_file(path) != config)
    throw UserError(
        "--out: {} belongs to another model, and there is no checkpoint to continue from; remove "
        "it, or train elsewhere",
        path);
}

SavedRun saved_run(const std::string& out) {
  const std::string path = checkpoint_path(out);
  if (!exists(path)) throw UserError("--resume: there is no {}", path);
  const Metadata metadata = load_safetensors(path).metadata;
  const auto options = metadata.find("options"), seed = metadata.find("seed");
  if (options == metadata.end() || seed == metadata.end())
    throw UserError("{}: not a training checkpoint", path);
  const auto number = number_in<std::uint64_t>(seed->second);
  if (!number) throw UserError("{}: seed is not a number: {}", path, shortened(seed->second));
  SavedRun run{options->second, *number};
  if (metadata.contains("best")) run.best = counter(metadata, "best", path);
  return run;
}

TrainCommand::TrainCommand(const CLI::App& app, const CommonOptions& common, bool resume)
    : app_(app), out_(own_directory(app, common.out)), resume_(resume) {
  if (first_process()) {
    held_.emplace(out_);
    refuse_known_model(out_, resume);
  }
  if (resume) run_ = saved_run(out_);
  if (!resume || is_given(app, "--seed")) run_.seed = common.seed;
}

void TrainCommand::keep_validating(bool validates, const std::string& valid_flags) const {
  if (!validates && run_.best >= 0)
    throw UserError(
        "--resume: the run used validation text; give {} again, or the best model will be lost",
        valid_flags);
}

void TrainCommand::describe(const std::string& config,
                            const std::function<void()>& save_description) {
  save_description_ = save_description;
  if (!resume_ && first_process()) {
    refuse_other_config(out_, config);
    save_description();
  }
  catch_interrupts();
}

int TrainCommand::end(bool done) const {
  if (first_process()) {
    save_description_();  // it may have been removed during training
    if (const std::string path = weights_path(out_); done && !exists(path))
      throw UserError("{} was removed while the model was being trained", path);
  }
  std::cout << (done ? "the model is in " + printable(out_)
                     : "stopped; the same command with --resume continues")
            << std::endl;
  return done ? 0 : 130;
}

}  // namespace xf
