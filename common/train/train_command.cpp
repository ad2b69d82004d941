#include "train/train_command.hpp"

#include <iostream>

#include "io/files.hpp"
#include "io/numbers.hpp"
#include "io/printable.hpp"

namespace xf {

namespace {

// What `directory` holds of a trained model, or "".
std::string trained_file(const std::string& directory) {
  for (const char* file : {"checkpoint.safetensors", "model.safetensors", "history.csv", "average"})
    if (exists(directory + "/" + file)) return file;
  return "";
}

}  // namespace

void refuse_known_model(const std::string& out, bool resume) {
  const std::string known = trained_file(out);
  if (known.empty() || resume) return;
  throw UserError("--out: " + out + " holds " + known + " already" +
                  (exists(checkpoint_path(out))
                       ? "; --resume goes on with it"
                       : ", and no checkpoint to go on from; remove it, or train elsewhere"));
}

void refuse_other_config(const std::string& out, const std::string& config) {
  const std::string path = out + "/config.json";
  if (exists(path) && read_file(path) != config)
    throw UserError("--out: " + path + " is of another model, and there is no checkpoint to go " +
                    "on from; remove it, or train elsewhere");
}

SavedRun saved_run(const std::string& out) {
  const std::string path = checkpoint_path(out);
  if (!exists(path)) throw UserError("--resume: there is no " + path);
  const Metadata metadata = load_safetensors(path).metadata;
  const auto options = metadata.find("options"), seed = metadata.find("seed");
  if (options == metadata.end() || seed == metadata.end())
    throw UserError(path + ": not a training checkpoint");
  const auto number = number_in<std::uint64_t>(seed->second);
  if (!number) throw UserError(path + ": seed is no number: " + seed->second);
  SavedRun run{options->second, *number};
  if (metadata.contains("best")) run.best = counter(metadata, "best", path);
  return run;
}

void check_at_least(const char* flag, double least, double value) {
  if (!(value >= least))
    throw UserError(std::string(flag) + (least > 0 ? ": at least 1" : ": at least 0"));
}

void check_limits(const RunLimits& limits) {
  check_at_least("--updates", 0, limits.updates);
  check_at_least("--epochs", 0, limits.epochs);
  check_at_least("--minutes", 0, limits.minutes);
  check_at_least("--valid-every", 0, limits.valid_every);
  check_at_least("--patience", 0, limits.patience);
  if (limits.updates == 0 && limits.epochs == 0 && limits.minutes == 0)
    throw UserError("--updates, --epochs or --minutes: how long to train?");
}

int say_end(bool done, const std::string& out) {
  std::cout << (done ? "the model is in " + printable(out)
                     : "stopped; the same command with --resume goes on")
            << std::endl;
  return done ? 0 : 130;
}

}  // namespace xf
