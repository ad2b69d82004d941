#include "train/training_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "distributed/processes.hpp"
#include "io/files.hpp"
#include "io/printable.hpp"
#include "program/program.hpp"
#include "tensor/parallel.hpp"
#include "text/corpus.hpp"
#include "text/fingerprint.hpp"
#include "train/averaging.hpp"
#include "train/kept_weights.hpp"

namespace xf {

namespace {

// The best validation so far: by score and, among equal scores, by loss, because scores may be
// equal, as BLEU while it is 0. A score that is not finite is never the best.
struct BestSoFar {
  static constexpr double unknown = 1e14;  // larger losses, and NaN, count as equal

  double score = -1;  // -1: there is none yet
  double loss = unknown;

  bool none() const { return score < 0; }
  // Whether this validation is better; if so, it becomes the best so far.
  bool take(Best best, double found, double found_loss) {
    if (!std::isfinite(found)) return false;
    if (!(found_loss < unknown)) found_loss = unknown;
    const bool better = best == Best::highest ? found > score : found < score;
    if (!none() && !better && !(found == score && found_loss < loss)) return false;
    score = found;
    loss = found_loss;
    return true;
  }
};

// Everything around the loop of one run: its files, its progress output, its end.
class Run : public TrainingWatcher {
 public:
  Run(TrainingTask& task, const TrainingSetup& setup)
      : task_(task),
        setup_(setup),
        options_(setup.run),
        parameters_(task.parameters()),
        trainer_(
            task,
            {.beta2 = setup.beta2, .epsilon = setup.epsilon, .weight_decay = options_.weight_decay},
            options_.clip, {options_.schedule, setup.peak, options_.warmup}, setup.seed,
            options_.shared_state),
        snapshots_(setup.directory, options_.average) {}

  void restore() {
    const std::string path = checkpoint_path(setup_.directory);
    Counters counters = load_checkpoint(path, parameters_, trainer_.adam, *trainer_.exchange);
    const auto whole = [&](const char* name) {
      return static_cast<int>(whole_counter(counters, name, path));
    };
    saved_update_ = whole("update");
    trainer_.epoch = whole("epoch");
    validations_without_gain_ = whole("validations_without_gain");
    seconds_before_ = counter(counters, "seconds", path, 0);
    window_tokens_ = counter(counters, "window_tokens", path, 0);
    window_loss_ = counter(counters, "window_loss", path);
    if (update() != saved_update_)
      throw UserError("{}: adam.steps is {}, but update is {}", path, update(), saved_update_);
    if (counters["seed"] != std::to_string(setup_.seed))
      throw UserError("--seed: the checkpoint was made with {}", shortened(counters["seed"]));
    if (counters["text"] != setup_.text)
      throw UserError("--resume: the checkpoint was made with another training text ({}; now {})",
                      shortened(counters["text"]), setup_.text);
    task_.restore(counters, path);
    best_.score = counter(counters, "best", path);
    if (!best_.none() && counters.contains("valid") && counters["valid"] != setup_.valid)
      throw UserError(
          "--resume: the best model so far was chosen with another validation text ({}; now {})",
          shortened(counters["valid"]), setup_.valid);
    if (counters.contains("best_loss"))  // not in older checkpoints
      best_.loss = counter(counters, "best_loss", path);
    snapshots_.restore(update(), counters["average"]);  // older checkpoints do not name them
    forget_later_history();
    progress_.line("resumed at update " + std::to_string(update()) + ", epoch " +
                   std::to_string(trainer_.epoch + 1));
  }

  // A fresh run deletes everything that an earlier one has left.
  void clear() const {
    if (!first_process()) return;
    for (const std::string& path : {checkpoint_path(setup_.directory), history_path()})
      if (exists(path)) remove_all(path);
    snapshots_.clear();
    forget_kept_weights(setup_.directory);
  }

  // returns false when it was interrupted
  bool train() {
    if (update() == 0) {
      save();
      keep();
    }
    trainer_.begin_epoch();
    try {
      xf::train(trainer_, *this);
    } catch (const NotFinite& error) {
      stop_at(std::isfinite(double(trainer_.parallel.losses())) ? error.message
                                                                : "the loss is not finite");
    }
    return !interrupted_;
  }

 private:
  int update() const { return trainer_.updates(); }
  double seconds() const { return seconds_before_ + seconds_; }
  double loss() const { return window_tokens_ > 0 ? window_loss_ / window_tokens_ : 0; }
  std::string history_path() const { return setup_.directory + "/history.csv"; }

  std::string heading() const {
    return "update,epoch,seconds,train_loss,learning_rate," + setup_.unit + "_per_s" +
           task_.history_columns() + "\n";
  }

  // Drops the lines of validations after the checkpoint: they will be repeated.
  void forget_later_history() const {
    if (!exists(history_path())) return;
    std::string kept = heading();  // which a damaged file lacks
    for (const std::string& line : read_lines(history_path()))
      if (const int at = std::atoi(line.c_str()); at > 0 && at <= update()) kept += line + "\n";
    if (first_process()) write_file_atomically(history_path(), kept);
  }

  double progress() override {
    double share = 0;
    if (options_.updates > 0) share = std::max(share, double(update()) / options_.updates);
    if (options_.minutes > 0) share = std::max(share, seconds() / (60 * options_.minutes));
    if (options_.epochs > 0) share = std::max(share, trainer_.epochs() / options_.epochs);
    return share;
  }
  bool finished() override {
    const int patience = options_.patience;
    return progress() >= 1 || (patience > 0 && validations_without_gain_ >= patience);
  }

  void updated(double batch_loss, int tokens) override {
    seconds_ = of_first(watch_.seconds());  // one process checks the time limit for all
    window_tokens_ += tokens;
    all_tokens_ += tokens;
    window_loss_ += batch_loss * tokens;
    report();
    keep();
  }
  bool is_due(bool epoch_done) override {
    const int every = options_.valid_every;
    return (every > 0 ? update() % every == 0 : epoch_done) || finished();
  }
  bool interrupted() override { return interrupted_ = in_any(xf::interrupted()); }

  void keep() const {
    const int every = options_.keep_every;
    if (first_process() && every > 0 && update() % every == 0)
      keep_weights(setup_.directory, update(), parameters_);
  }

  [[noreturn]] void stop_at(const Phrase& problem) const {
    throw SpokenError<std::runtime_error>(
        "update {}: {}; try a smaller --lr or a longer --warmup ({} is as of update {})",
        update() + 1, problem, checkpoint_path(setup_.directory), saved_update_);
  }

  void report() {
    const double share = progress(), left = share > 0 ? seconds() * (1 / share - 1) : 0;
    progress_.update(formatted("update %d  epoch %d  loss %.4f  lr %.2e  %.0f %s/s  %s left",
                               update(), trainer_.epoch + 1, loss(), rate(),
                               all_tokens_ / watch_.seconds(), setup_.unit.c_str(),
                               clock_time(left).c_str()));
  }

  double rate() { return trainer_.schedule(std::max(1, update()), progress()); }

  // Saves the mean of the last checkpoints, or the last one, if it is the best so far; without a
  // meaningful validation, always. The training continues with the last one.
  void validate() override {
    snapshots_.add(update(), parameters_);
    const double loss = snapshots_.load_better(parameters_, [&] { return task_.valid_loss(); });
    Validation found = task_.validate(loss);
    const bool better = found.score && best_.take(setup_.best, *found.score, loss);
    if ((better || best_.none()) && first_process())
      save_parameters(weights_path(setup_.directory), parameters_);
    if (better) found.report += "  *";
    snapshots_.load_last(parameters_);
    validations_without_gain_ = better || !found.score ? 0 : validations_without_gain_ + 1;
    note(found);
    save();
  }

  void note(const Validation& found) {
    seconds_ = of_first(watch_.seconds());
    const int epoch = trainer_.epoch + (task_.epoch_share() > 0);  // the current one, or the last
    progress_.line(formatted("epoch %d  update %d  %s  loss %.4f", epoch, update(),
                             clock_time(seconds()).c_str(), loss()) +
                   found.report);
    if (!found.note.empty()) progress_.line(found.note);
    std::string history = exists(history_path()) ? read_file(history_path()) : heading();
    history += formatted("%d,%d,%.1f,%.5f,%.3e,%.0f", update(), epoch, seconds(), loss(), rate(),
                         all_tokens_ / watch_.seconds()) +
               found.columns + "\n";
    if (first_process()) write_file_atomically(history_path(), history);
    window_tokens_ = window_loss_ = 0;
  }

  void save() override {
    NamedTensors own = task_.tensors();
    std::vector<NamedParameter> all = parameters_;
    for (auto& [name, tensor] : own) all.push_back({name, &tensor});
    Counters counters = task_.counters();
    counters.insert({{"update", std::to_string(update())},
                     {"epoch", std::to_string(trainer_.epoch)},
                     {"seconds", std::to_string(seconds())},
                     {"window_tokens", formatted("%.17g", window_tokens_)},
                     {"window_loss", formatted("%.17g", window_loss_)},
                     {"best", formatted("%.17g", best_.score)},
                     {"best_loss", formatted("%.17g", best_.loss)},
                     {"average", snapshots_.needed()},
                     {"validations_without_gain", std::to_string(validations_without_gain_)},
                     {"seed", std::to_string(setup_.seed)},
                     {"text", setup_.text},
                     {"valid", setup_.valid},
                     {"options", setup_.options}});
    save_checkpoint(checkpoint_path(setup_.directory), all, trainer_.adam, *trainer_.exchange,
                    counters);
    saved_update_ = update();
  }

  TrainingTask& task_;
  const TrainingSetup& setup_;
  const RunOptions& options_;
  std::vector<NamedParameter> parameters_;
  Trainer trainer_;
  Snapshots snapshots_;

  Progress progress_;
  Stopwatch watch_;
  double seconds_ = 0;  // since the run began or was resumed, up to the last update
  int validations_without_gain_ = 0;
  int saved_update_ = 0;  // of the newest checkpoint
  BestSoFar best_;
  bool interrupted_ = false;
  double seconds_before_ = 0;
  double window_tokens_ = 0, window_loss_ = 0, all_tokens_ = 0;  // window: since validation
};

// Checks that all processes train the same model on the same text.
void check_processes(TrainingTask& task, const TrainingSetup& setup, bool resume) {
  const int ranks = everyone().ranks();
  if (default_device() != Device::cpu && setup.run.shared_state)
    throw UserError("--shared-state: on a GPU every process keeps all of Adam's state");
  if (arithmetic() == Arithmetic::same && setup.run.shards < ranks)
    throw UserError("--shards {} is too few for {} processes", setup.run.shards, ranks);
  Fingerprint weights;
  for (const NamedParameter& parameter : task.parameters()) {
    const auto bytes = std::as_bytes(std::span(std::as_const(*parameter.tensor).values()));
    weights.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  must_agree({{"build of the program", build_of_program()},
              {"--device", name(default_device())},
              {"--arithmetic", arithmetic() == Arithmetic::same ? "same" : "fast"},
              {"--threads", arithmetic() == Arithmetic::same ? "" : std::to_string(threads())},
              {"--seed", std::to_string(setup.seed)},
              {"--resume", resume ? "yes" : "no"},
              {"set of options", setup.options},
              {"training text", setup.text},
              {"set of initial weights", weights.str()}});
}

}  // namespace

bool run_training(TrainingTask& task, const TrainingSetup& setup, bool resume) {
  const ProductPrecision precision(setup.run.precision);
  if (several_processes()) check_processes(task, setup, resume);
  Run run(task, setup);
  resume ? run.restore() : run.clear();
  return run.train();
}

}  // namespace xf
