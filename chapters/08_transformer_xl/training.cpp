#include "08_transformer_xl/training.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "io/config.hpp"
#include "io/files.hpp"
#include "io/program.hpp"
#include "io/safetensors.hpp"
#include "tensor/parallel.hpp"
#include "train/checkpoint.hpp"
#include "train/data_parallel.hpp"
#include "train/progress.hpp"

namespace xf::language {

namespace {

template <class... Values>
std::string text(const char* format, Values... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

// A number of the checkpoint at `path`.
double counter(const Counters& counters, const std::string& name, const std::string& path) {
  const auto found = counters.find(name);
  if (found == counters.end()) throw UserError(path + ": " + name + " is missing");
  char* end = nullptr;
  const double value = std::strtod(found->second.c_str(), &end);
  if (end == found->second.c_str() || *end != 0 || !(std::abs(value) < 1e15))
    throw UserError(path + ": " + name + " is no number: " + found->second);
  return value;
}

std::string memory_name(std::size_t layer) { return "memory." + std::to_string(layer); }

class Run {
 public:
  Run(LanguageModel& language, const TrainingData& data, const TrainingOptions& options,
      const std::string& directory, std::uint64_t seed)
      : model_(language.model),
        data_(data),
        options_(options),
        directory_(directory),
        seed_(seed),
        parameters_(parameters(model_)),
        adam_(parameters_, {.beta2 = options.beta2, .epsilon = 1e-8, .clip = options.clip}),
        schedule_{
            .kind = parse_schedule(options.schedule), .peak = options.lr, .warmup = options.warmup},
        streams_{data.train.ids, options.batch} {
    forget();
  }

  // Goes on from the checkpoint. Throws UserError when the run was started with other settings.
  void restore() {
    const std::string path = checkpoint_path(directory_);
    Counters counters = load_checkpoint(path, parameters_, adam_);
    const auto number = [&](const char* name) { return counter(counters, name, path); };
    saved_update_ = update_ = static_cast<int>(number("update"));
    epoch_ = static_cast<int>(number("epoch"));
    place_ = static_cast<std::ptrdiff_t>(number("place"));
    seconds_before_ = number("seconds");
    best_ = number("best");
    window_tokens_ = number("window_tokens");
    window_loss_ = number("window_loss");
    validations_without_gain_ = static_cast<int>(number("validations_without_gain"));
    if (counters["seed"] != std::to_string(seed_))
      throw UserError("--seed: the checkpoint was made with " + counters["seed"]);
    if (static_cast<std::ptrdiff_t>(number("tokens")) != data_.train.predictions())
      throw UserError("--resume: the checkpoint was made with a text of " + counters["tokens"] +
                      " tokens, not " + std::to_string(data_.train.predictions()));
    restore_memory(path);
    progress_.line("resumed at update " + std::to_string(update_) + ", epoch " +
                   std::to_string(epoch_ + 1));
  }

  bool train() {
    if (update_ == 0) checkpoint();
    while (!finished()) {
      one_update();
      const bool epoch_done = place_ >= streams_.length();
      if (epoch_done) {
        ++epoch_;
        place_ = 0;
        forget();
      }
      const bool due = options_.valid_every > 0 ? update_ % options_.valid_every == 0 : epoch_done;
      if (due || finished()) validate();
      if (interrupted()) {
        checkpoint();
        return false;
      }
    }
    checkpoint();
    return true;
  }

 private:
  double seconds() const { return seconds_before_ + watch_.seconds(); }

  double progress() const {
    double share = 0;
    if (options_.updates > 0) share = std::max(share, double(update_) / options_.updates);
    if (options_.minutes > 0) share = std::max(share, seconds() / (60 * options_.minutes));
    if (options_.epochs > 0)
      share =
          std::max(share, (epoch_ + double(place_) / double(streams_.length())) / options_.epochs);
    return share;
  }
  bool finished() const {
    return progress() >= 1 ||
           (options_.patience > 0 && validations_without_gain_ >= options_.patience);
  }

  // The streams of group i are [row(i), row(i + 1)); each group runs on a thread of its own.
  int groups() const { return static_cast<int>(memories_.size()); }
  int row(int group) const { return options_.batch * group / groups(); }

  // The text begins (again): nothing is remembered.
  void forget() {
    memories_.assign(static_cast<std::size_t>(std::min(options_.batch, threads())), model_.start());
  }

  // The memories of all streams as (batch, M, D) per layer; none at the start of the text.
  std::vector<Tensor> joined_memory() const {
    if (memories_[0].present_length() == 0) return {};
    std::vector<Tensor> all = memories_[0].states;
    for (std::size_t group = 1; group < memories_.size(); ++group)
      for (std::size_t layer = 0; layer < all.size(); ++layer)
        all[layer] = concat(all[layer], memories_[group].states[layer], 0);
    return all;
  }
  void restore_memory(const std::string& path) {
    const SafeTensors file = load_safetensors(path);
    if (!file.tensors.contains(memory_name(0))) return;
    for (std::size_t layer = 0; layer < static_cast<std::size_t>(model_.config().layers); ++layer) {
      const auto found = file.tensors.find(memory_name(layer));
      if (found == file.tensors.end())
        throw UserError(path + ": tensor " + memory_name(layer) + " is missing");
      const Tensor& all = found->second;
      if (all.rank() != 3 || all.size(0) != options_.batch ||
          all.size(1) > model_.config().memory || all.size(2) != model_.config().d_model)
        throw UserError(path + ": " + memory_name(layer) + " is " + all.shape().str() +
                        ", which is no memory of this run");
      for (int group = 0; group < groups(); ++group)
        memories_[static_cast<std::size_t>(group)].states.push_back(
            slice(all, 0, row(group), row(group + 1) - row(group)));
    }
  }

  void one_update() {
    const TransformerXlConfig& c = model_.config();
    const double rate = schedule_(update_ + 1, progress());
    std::vector<Streams::Piece> pieces;
    int tokens = 0;
    for (int i = 0; i < groups(); ++i) {
      pieces.push_back(streams_.piece(row(i), row(i + 1), place_, c.segment, c.extended));
      tokens += pieces.back().counted;
    }
    const double loss =
        parallel_.run(groups(), mix(seed_) + static_cast<std::uint64_t>(update_), [&](int i) {
          const Streams::Piece& piece = pieces[static_cast<std::size_t>(i)];
          return model_.loss(piece.ids, piece.expected, memories_[static_cast<std::size_t>(i)],
                             {.divisor = double(tokens)});
        });
    if (!std::isfinite(loss)) stop_at("the loss is not finite");
    try {
      adam_.step(parallel_.gradients(), rate);
    } catch (const std::runtime_error& error) {
      stop_at(error.what());
    }
    ++update_;
    place_ += c.segment;
    window_tokens_ += tokens;
    all_tokens_ += tokens;
    window_loss_ += loss * tokens;
    report(rate);
  }

  [[noreturn]] void stop_at(const std::string& problem) const {
    throw std::runtime_error("update " + std::to_string(update_ + 1) + ": " + problem +
                             "; try a smaller --lr or a longer --warmup (" +
                             checkpoint_path(directory_) + " is as of update " +
                             std::to_string(saved_update_) + ")");
  }

  void report(double rate) {
    const double share = progress(), left = share > 0 ? seconds() * (1 / share - 1) : 0;
    progress_.update(text("update %d  epoch %d  loss %.4f  lr %.2e  %.0f tokens/s  %s left",
                          update_, epoch_ + 1, window_loss_ / window_tokens_, rate,
                          all_tokens_ / watch_.seconds(), clock_time(left).c_str()));
  }

  // Evaluates the model and keeps it if it is the best so far.
  void validate() {
    Loss loss;
    if (data_.valid.predictions() > 0) loss = evaluate(model_, data_.valid, options_.batch);
    const bool better = loss.tokens == 0 || best_ < 0 || loss.per_token() < best_;
    if (better) save_parameters(weights_path(directory_), parameters_);
    if (better && loss.tokens > 0) best_ = loss.per_token();
    validations_without_gain_ = better ? 0 : validations_without_gain_ + 1;
    note(loss, better);
    checkpoint();
  }

  void note(const Loss& loss, bool better) {
    const double train_loss = window_tokens_ > 0 ? window_loss_ / window_tokens_ : 0;
    const bool valid = loss.tokens > 0;
    const double nats = valid ? loss.per_token() : 0, bits = valid ? loss.bits_per_character() : 0;
    std::string line = text("epoch %d  update %d  %s  loss %.4f", epoch_, update_,
                            clock_time(seconds()).c_str(), train_loss);
    if (valid)
      line += text("  valid loss %.4f  perplexity %.3f  %.4f bits/character%s", nats,
                   std::exp(nats), bits, better ? "  *" : "");
    progress_.line(line);
    const std::string path = directory_ + "/history.csv";
    std::string history = std::filesystem::exists(path)
                              ? read_file(path)
                              : "update,epoch,seconds,train_loss,learning_rate,tokens_per_s,"
                                "valid_loss,valid_bits_per_character\n";
    history += text("%d,%d,%.1f,%.5f,%.3e,%.0f,%.5f,%.5f\n", update_, epoch_, seconds(), train_loss,
                    schedule_(std::max(1, update_), progress()), all_tokens_ / watch_.seconds(),
                    nats, bits);
    write_file_atomically(path, history);
    window_tokens_ = window_loss_ = 0;
  }

  void checkpoint() {
    std::vector<Tensor> memory = joined_memory();
    std::vector<NamedParameter> all = parameters_;
    for (std::size_t i = 0; i < memory.size(); ++i) all.push_back({memory_name(i), &memory[i]});
    save_checkpoint(checkpoint_path(directory_), all, adam_,
                    {{"update", std::to_string(update_)},
                     {"epoch", std::to_string(epoch_)},
                     {"place", std::to_string(place_)},
                     {"seconds", std::to_string(seconds())},
                     {"best", text("%.17g", best_)},
                     {"window_tokens", text("%.17g", window_tokens_)},
                     {"window_loss", text("%.17g", window_loss_)},
                     {"validations_without_gain", std::to_string(validations_without_gain_)},
                     {"seed", std::to_string(seed_)},
                     {"tokens", std::to_string(data_.train.predictions())},
                     {"options", to_json(options_)}});
    saved_update_ = update_;
  }

  SegmentModel& model_;
  const TrainingData& data_;
  TrainingOptions options_;
  std::string directory_;
  std::uint64_t seed_;
  std::vector<NamedParameter> parameters_;
  Adam adam_;
  Schedule schedule_;
  Streams streams_;

  DataParallel parallel_;
  Progress progress_;
  Stopwatch watch_;
  std::vector<Memory> memories_;  // one per group of streams
  int update_ = 0, epoch_ = 0, validations_without_gain_ = 0;
  int saved_update_ = 0;      // of the newest checkpoint
  std::ptrdiff_t place_ = 0;  // in every stream: what is predicted next
  double seconds_before_ = 0, best_ = -1;
  double window_tokens_ = 0, window_loss_ = 0, all_tokens_ = 0;  // window: since validation
};

}  // namespace

bool train_model(LanguageModel& model, const TrainingData& data, const TrainingOptions& options,
                 const std::string& directory, std::uint64_t seed, bool resume) {
  Run run(model, data, options, directory, seed);
  if (resume) run.restore();
  return run.train();
}

}  // namespace xf::language
