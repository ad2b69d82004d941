#include "07_transformer/training.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>

#include "07_transformer/packed.hpp"
#include "io/config.hpp"
#include "io/files.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "tensor/parallel.hpp"
#include "text/fingerprint.hpp"
#include "train/averaging.hpp"
#include "train/train_command.hpp"

namespace xf {

namespace {

std::string fingerprint(const ParallelText& text) {
  Fingerprint all;
  for (std::size_t i = 0; i < text.size(); ++i) {
    all.add(text.source[i] + "\t");
    all.add(text.target[i] + "\n");
  }
  return all.str();
}

// Sentence pairs in batches of similar lengths; the mean of the last checkpoints is validated.
class TranslationTask : public TrainingTask {
 public:
  TranslationTask(Translator& translator, const TrainingData& data, const TrainingOptions& options,
                  const std::string& directory, std::uint64_t seed)
      : translator_(translator),
        data_(data),
        options_(options),
        directory_(directory),
        seed_(seed),
        parameters_(xf::parameters(translator.model)),
        valid_(encode_pairs(translator, data.valid.source, data.valid.target)) {}

  // A fresh run leaves nothing of an earlier one behind.
  void clear() const { std::filesystem::remove_all(average_directory()); }

  std::vector<NamedParameter> parameters() override { return parameters_; }

  // Words are cut anew each epoch when BPE-dropout is on.
  void start_epoch(int epoch) override {
    make_directory(average_directory());
    examples_.clear();
    Random random(seed_, 1000003ull + static_cast<std::uint64_t>(epoch));
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
    batches_ = length_bucketed_batches(examples_, options_.batch_tokens, seed_, epoch);
  }
  void end_epoch() override { next_batch_ = 0; }
  double epoch_share() const override {
    return batches_.empty() ? 0 : double(next_batch_) / double(batches_.size());
  }

  BatchLoss batch(DataParallel& parallel, std::uint64_t seed) override {
    const auto shards = split_packed_batch(examples_, batches_[next_batch_], threads());
    int tokens = 0;
    for (const PackedBatch& shard : shards) tokens += shard.target_tokens();
    const CrossEntropyOptions loss_options{
        .ignore = pad_id,
        .smoothing = static_cast<float>(options_.label_smoothing),
        .divisor = double(tokens)};
    const double loss = parallel.run(static_cast<int>(shards.size()), seed, [&](int i) {
      const PackedBatch& shard = shards[static_cast<std::size_t>(i)];
      return cross_entropy(packed_logits(translator_.model, shard.source, shard.target_in),
                           shard.target_out, loss_options);
    });
    ++next_batch_;
    return {loss, tokens};
  }

  // Evaluates the averaged model and keeps it if it is the best so far.
  Validation validate(int update) override {
    keep_snapshot(update);
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
    return {better,
            valid_.empty() ? ""
                           : formatted("  valid perplexity %.3f  valid BLEU %.2f%s",
                                       valid_perplexity, bleu_score, better ? "  *" : ""),
            formatted(",%.4f,%.2f", valid_perplexity, bleu_score)};
  }
  std::string history_columns() const override { return ",valid_perplexity,valid_bleu"; }

  Counters counters() const override {
    return {{"next_batch", std::to_string(next_batch_)}, {"best", formatted("%.17g", best_)}};
  }

  void restore(const Counters& counters, int update, const std::string& path) override {
    next_batch_ = static_cast<std::size_t>(counter(counters, "next_batch", path));
    best_ = counter(counters, "best", path);
    make_directory(average_directory());
    for (const auto& entry : std::filesystem::directory_iterator(average_directory()))
      if (entry.path().extension() == ".safetensors" &&
          entry.path().string() <= snapshot_path(update))
        snapshots_.push_back(entry.path().string());
    std::sort(snapshots_.begin(), snapshots_.end());
  }

 private:
  std::string average_directory() const { return directory_ + "/average"; }
  std::string snapshot_path(int update) const {
    return average_directory() + formatted("/%08d.safetensors", update);
  }

  // The last `average` checkpoints stay.
  void keep_snapshot(int update) {
    snapshots_.push_back(snapshot_path(update));
    save_parameters(snapshots_.back(), parameters_);
    while (static_cast<int>(snapshots_.size()) > std::max(1, options_.average)) {
      std::filesystem::remove(snapshots_.front());
      snapshots_.pop_front();
    }
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

  Translator& translator_;
  const TrainingData& data_;
  TrainingOptions options_;
  std::string directory_;
  std::uint64_t seed_;
  std::vector<NamedParameter> parameters_;
  std::vector<Example> valid_;

  std::vector<Example> examples_;
  std::vector<std::vector<int>> batches_;
  std::deque<std::string> snapshots_;  // files of the last checkpoints, oldest first
  std::size_t next_batch_ = 0;
  double best_ = -1;
};

// Dropout inside the sub-layers. (On their outputs and on the embeddings, where Vaswani et al. have
// it, 5.4, it stays as it is.)
void set_inner_dropout(Transformer& model, float rate) {
  for (EncoderLayer& layer : model.encoder.layers)
    layer.self_attention.dropout_rate = layer.feed_forward.dropout_rate = rate;
  for (DecoderLayer& layer : model.decoder.layers)
    layer.self_attention.dropout_rate = layer.cross_attention.dropout_rate =
        layer.feed_forward.dropout_rate = rate;
}

}  // namespace

bool train_translator(Translator& translator, const TrainingData& data,
                      const TrainingOptions& options, const std::string& directory,
                      std::uint64_t seed, bool resume) {
  if (options.inner_dropout >= 0)
    set_inner_dropout(translator.model, static_cast<float>(options.inner_dropout));
  TranslationTask task(translator, data, options, directory, seed);
  if (!resume) task.clear();
  const double peak =
      options.lr > 0 ? options.lr : noam_peak(translator.model.config.d_model, options.warmup);
  return run_training(task,
                      {.limits = limits_of(options),
                       .adam = {.clip = options.clip},
                       .schedule = {.kind = parse_schedule(options.schedule),
                                    .peak = peak,
                                    .warmup = options.warmup},
                       .directory = directory,
                       .seed = seed,
                       .options = to_json(options),
                       .text = fingerprint(data.train),
                       .unit = "words"},
                      resume);
}

}  // namespace xf
