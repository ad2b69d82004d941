#include "07_transformer/training.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>

#include "io/config.hpp"
#include "io/files.hpp"
#include "io/program.hpp"
#include "io/safetensors.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "tensor/parallel.hpp"
#include "train/averaging.hpp"
#include "train/checkpoint.hpp"
#include "train/data_parallel.hpp"
#include "train/progress.hpp"

namespace xf {

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
  if (end == found->second.c_str() || *end != 0 || !(std::abs(value) < 2e9))
    throw UserError(path + ": " + name + " is no number: " + found->second);
  return value;
}

class Run {
 public:
  Run(Translator& translator, const TrainingData& data, const TrainingOptions& options,
      const std::string& directory, std::uint64_t seed)
      : translator_(translator),
        data_(data),
        options_(options),
        directory_(directory),
        seed_(seed),
        parameters_(parameters(translator.model)),
        adam_(parameters_, {.clip = options.clip}),
        schedule_{.kind = parse_schedule(options.schedule),
                  .peak = options.lr > 0
                              ? options.lr
                              : noam_peak(translator.model.config.d_model, options.warmup),
                  .warmup = options.warmup},
        valid_(encode_pairs(translator, data.valid.source, data.valid.target)) {}

  // Goes on from the checkpoint. Throws UserError when the run was started with other settings.
  void restore() {
    const std::string path = checkpoint_path(directory_);
    Counters counters = load_checkpoint(path, parameters_, adam_);
    const auto number = [&](const char* name) { return counter(counters, name, path); };
    saved_update_ = update_ = static_cast<int>(number("update"));
    epoch_ = static_cast<int>(number("epoch"));
    next_batch_ = static_cast<std::size_t>(number("next_batch"));
    seconds_before_ = number("seconds");
    best_ = number("best");
    validations_without_gain_ = static_cast<int>(number("validations_without_gain"));
    if (counters["seed"] != std::to_string(seed_))
      throw UserError("--seed: the checkpoint was made with " + counters["seed"]);
    if (static_cast<std::size_t>(number("pairs")) != data_.train.size())
      throw UserError("--resume: the checkpoint was made with " + counters["pairs"] +
                      " training pairs, not " + std::to_string(data_.train.size()));
    make_directory(average_directory());
    for (const auto& entry : std::filesystem::directory_iterator(average_directory()))
      if (entry.path().extension() == ".safetensors" &&
          entry.path().string() <= snapshot_path(update_))
        snapshots_.push_back(entry.path().string());
    std::sort(snapshots_.begin(), snapshots_.end());
    progress_.line("resumed at update " + std::to_string(update_) + ", epoch " +
                   std::to_string(epoch_ + 1));
  }

  // A fresh run leaves nothing of an earlier one behind.
  void clear() {
    std::filesystem::remove(checkpoint_path(directory_));
    std::filesystem::remove(directory_ + "/history.csv");
    std::filesystem::remove_all(average_directory());
  }

  bool train() {
    make_directory(average_directory());
    if (update_ == 0) checkpoint();
    start_epoch();
    while (!finished()) {
      one_update();
      const bool epoch_done = next_batch_ == batches_.size();
      const bool due = options_.valid_every > 0 ? update_ % options_.valid_every == 0 : epoch_done;
      if (epoch_done) {
        ++epoch_;
        next_batch_ = 0;
      }
      if (due || finished()) validate();
      if (interrupted()) {
        checkpoint();
        return false;
      }
      if (epoch_done && !finished()) start_epoch();
    }
    checkpoint();
    return true;
  }

  int updates() const { return update_; }
  double seconds() const { return seconds_before_ + watch_.seconds(); }

 private:
  std::string average_directory() const { return directory_ + "/average"; }
  std::string snapshot_path(int update) const {
    return average_directory() + text("/%08d.safetensors", update);
  }

  double progress() const {
    double share = 0;
    if (options_.updates > 0) share = std::max(share, double(update_) / options_.updates);
    if (options_.minutes > 0) share = std::max(share, seconds() / (60 * options_.minutes));
    if (options_.epochs > 0) {
      const double part = batches_.empty() ? 0 : double(next_batch_) / double(batches_.size());
      share = std::max(share, (epoch_ + part) / options_.epochs);
    }
    return share;
  }

  bool finished() const {
    return progress() >= 1 ||
           (options_.patience > 0 && validations_without_gain_ >= options_.patience);
  }

  // Words are cut anew each epoch when BPE-dropout is on.
  void start_epoch() {
    examples_.clear();
    Random random(seed_, 1000003ull + static_cast<std::uint64_t>(epoch_));
    for (std::size_t i = 0; i < data_.train.size(); ++i) {
      const auto cut = [&](const Tokenizer& tokenizer, const std::string& line) {
        if (options_.bpe_dropout == 0) return tokenizer.encode(line);
        std::vector<int> ids = tokenizer.sample(line, options_.bpe_dropout, random);
        return ids.size() > max_sentence_tokens ? tokenizer.encode(line) : ids;
      };
      examples_.push_back({cut(translator_.source_tokenizer, data_.train.source[i]),
                           cut(translator_.target_tokenizer, data_.train.target[i])});
      examples_.back().source.push_back(eos_id);
    }
    batches_ = length_bucketed_batches(examples_, options_.batch_tokens, seed_, epoch_);
  }

  void one_update() {
    const double rate = schedule_(update_ + 1, progress());
    const std::vector<Batch> shards = split_batch(examples_, batches_[next_batch_], threads());
    int tokens = 0;
    for (const Batch& shard : shards) tokens += shard.target_tokens;
    const CrossEntropyOptions loss_options{
        .ignore = pad_id,
        .smoothing = static_cast<float>(options_.label_smoothing),
        .divisor = double(tokens)};
    const double loss =
        parallel_.run(static_cast<int>(shards.size()),
                      mix(seed_) + static_cast<std::uint64_t>(update_), [&](int i) {
                        const Batch& shard = shards[static_cast<std::size_t>(i)];
                        return cross_entropy(translator_.model(shard.source, shard.target_in),
                                             shard.target_out, loss_options);
                      });
    if (!std::isfinite(loss)) stop_at("the loss is not finite");
    try {
      adam_.step(parallel_.gradients(), rate);
    } catch (const std::runtime_error& error) {
      stop_at(error.what());
    }
    ++update_;
    ++next_batch_;
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
    progress_.update(text("update %d  epoch %d  loss %.4f  lr %.2e  %.0f words/s  %s left", update_,
                          epoch_ + 1, window_loss_ / window_tokens_, rate,
                          all_tokens_ / watch_.seconds(), clock_time(left).c_str()));
  }

  // The model becomes the mean of the last checkpoints, or the last one where that is better (while
  // the loss still falls fast, the mean lags behind). Returns its validation perplexity.
  double load_best_average() {
    const double last = valid_.empty() ? 0 : perplexity(score_pairs(translator_, valid_), valid_);
    if (snapshots_.size() == 1) return last;
    load_average({snapshots_.begin(), snapshots_.end()}, parameters_);
    const double mean = valid_.empty() ? 0 : perplexity(score_pairs(translator_, valid_), valid_);
    if (mean <= last) return mean;
    load_parameters(snapshots_.back(), parameters_);
    return last;
  }

  // Evaluates the averaged model and keeps it if it is the best so far.
  void validate() {
    snapshots_.push_back(snapshot_path(update_));
    save_parameters(snapshots_.back(), parameters_);
    while (static_cast<int>(snapshots_.size()) > std::max(1, options_.average)) {
      std::filesystem::remove(snapshots_.front());
      snapshots_.pop_front();
    }
    double bleu_score = 0;
    const double valid_perplexity = load_best_average();
    if (!valid_.empty()) {
      const auto translations = translate_lines(translator_, data_.valid.source, {});
      const BleuOptions bleu_options{.tokens = parse_bleu_tokens(options_.bleu_tokens)};
      bleu_score = bleu(translations, data_.valid.target, bleu_options).score;
    }
    const bool better = valid_.empty() || bleu_score > best_;
    if (better) save_parameters(weights_path(directory_), parameters_);
    load_parameters(snapshots_.back(), parameters_);
    best_ = std::max(best_, bleu_score);
    validations_without_gain_ = better ? 0 : validations_without_gain_ + 1;
    note(bleu_score, valid_perplexity, better);
    checkpoint();
  }

  void note(double bleu_score, double valid_perplexity, bool better) {
    const double loss = window_tokens_ > 0 ? window_loss_ / window_tokens_ : 0;
    const std::string time = clock_time(seconds());
    progress_.line(
        valid_.empty()
            ? text("epoch %d  update %d  %s  loss %.4f", epoch_, update_, time.c_str(), loss)
            : text("epoch %d  update %d  %s  loss %.4f  valid perplexity %.3f  valid BLEU "
                   "%.2f%s",
                   epoch_, update_, time.c_str(), loss, valid_perplexity, bleu_score,
                   better ? "  *" : ""));
    const std::string path = directory_ + "/history.csv";
    std::string history = std::filesystem::exists(path)
                              ? read_file(path)
                              : "update,epoch,seconds,train_loss,learning_rate,words_per_s,"
                                "valid_perplexity,valid_bleu\n";
    history += text("%d,%d,%.1f,%.5f,%.3e,%.0f,%.4f,%.2f\n", update_, epoch_, seconds(), loss,
                    schedule_(std::max(1, update_), progress()), all_tokens_ / watch_.seconds(),
                    valid_perplexity, bleu_score);
    write_file_atomically(path, history);
    window_tokens_ = window_loss_ = 0;
  }

  void checkpoint() {
    save_checkpoint(checkpoint_path(directory_), parameters_, adam_,
                    {{"update", std::to_string(update_)},
                     {"epoch", std::to_string(epoch_)},
                     {"next_batch", std::to_string(next_batch_)},
                     {"seconds", std::to_string(seconds())},
                     {"best", text("%.17g", best_)},
                     {"validations_without_gain", std::to_string(validations_without_gain_)},
                     {"seed", std::to_string(seed_)},
                     {"pairs", std::to_string(data_.train.size())},
                     {"options", to_json(options_)}});
    saved_update_ = update_;
  }

  Translator& translator_;
  const TrainingData& data_;
  TrainingOptions options_;
  std::string directory_;
  std::uint64_t seed_;
  std::vector<NamedParameter> parameters_;
  Adam adam_;
  Schedule schedule_;
  std::vector<Example> valid_;

  DataParallel parallel_;
  Progress progress_;
  Stopwatch watch_;
  std::vector<Example> examples_;
  std::vector<std::vector<int>> batches_;
  std::deque<std::string> snapshots_;  // files of the last checkpoints, oldest first
  int update_ = 0, epoch_ = 0, validations_without_gain_ = 0;
  int saved_update_ = 0;  // of the newest checkpoint
  std::size_t next_batch_ = 0;
  double seconds_before_ = 0, best_ = -1;
  double window_tokens_ = 0, window_loss_ = 0, all_tokens_ = 0;  // window: since validation
};

}  // namespace

bool train_translator(Translator& translator, const TrainingData& data,
                      const TrainingOptions& options, const std::string& directory,
                      std::uint64_t seed, bool resume) {
  Run run(translator, data, options, directory, seed);
  resume ? run.restore() : run.clear();
  return run.train();
}

}  // namespace xf
