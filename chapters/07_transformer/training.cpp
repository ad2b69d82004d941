#include "07_transformer/training.hpp"

#include <algorithm>

#include "07_transformer/packed.hpp"
#include "io/config.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/divergence/divergence.hpp"
#include "ops/elementwise/elementwise.hpp"
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

// R-Drop (Liang et al. 2021, eq. 4, halved): the sentences have been read twice, each time with
// another dropout mask, and the two predictions shall be right and alike.
//   loss = (CE(a) + CE(b)) / 2 + strength / 4 (KL(p_a || p_b) + KL(p_b || p_a))
//   a, b: logits (1, N, Vt)   returns a scalar
Tensor r_drop_loss(const Tensor& a, const Tensor& b, const Ids& targets,
                   const CrossEntropyOptions& options, double strength) {
  return 0.5f * (cross_entropy(a, targets, options) + cross_entropy(b, targets, options)) +
         static_cast<float>(strength / 4) * symmetric_divergence(a, b, options.divisor);
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
        valid_(encode_pairs(translator, data.valid.source, data.valid.target)),
        snapshots_(directory, options.average) {}

  // A fresh run leaves nothing of an earlier one behind.
  void clear() const { snapshots_.clear(); }

  std::vector<NamedParameter> parameters() override { return parameters_; }

  // Words are cut anew each epoch when BPE-dropout is on.
  void start_epoch(int epoch) override {
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
    if (next_batch_ >= batches_.size())
      throw UserError(checkpoint_path(directory_) + ": next_batch is " +
                      std::to_string(next_batch_) + ", the epoch has " +
                      std::to_string(batches_.size()) + " batches");
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
      const auto logits = [&] {
        return packed_logits(translator_.model, shard.source, shard.target_in);  // (1, N, Vt)
      };
      return options_.r_drop > 0
                 ? r_drop_loss(logits(), logits(), shard.target_out, loss_options, options_.r_drop)
                 : cross_entropy(logits(), shard.target_out, loss_options);
    });
    ++next_batch_;
    return {loss, tokens};
  }

  // Evaluates the averaged model and keeps it if it is the best so far.
  Validation validate(int update) override {
    snapshots_.add(update, parameters_);
    double bleu_score = 0;
    const double valid_perplexity = snapshots_.load_better(parameters_, [&] {
      return valid_.empty() ? 0 : perplexity(score_pairs(translator_, valid_), valid_);
    });
    if (!valid_.empty()) {
      const auto translations = translate_lines(translator_, data_.valid.source, {});
      const BleuOptions bleu_options{.tokens = parse_bleu_tokens(options_.bleu_tokens)};
      bleu_score = bleu(translations, data_.valid.target, bleu_options).score;
    }
    const bool better = valid_.empty() || bleu_score > best_;
    if (better) save_parameters(weights_path(directory_), parameters_);
    snapshots_.load_last(parameters_);
    best_ = std::max(best_, bleu_score);
    return {better,
            valid_.empty() ? ""
                           : formatted("  valid perplexity %.3f  valid BLEU %.2f%s",
                                       valid_perplexity, bleu_score, better ? "  *" : ""),
            formatted(",%.4f,%.2f", valid_perplexity, bleu_score)};
  }
  std::string history_columns() const override { return ",valid_perplexity,valid_bleu"; }

  Counters counters() const override {
    return {{"next_batch", std::to_string(next_batch_)},
            {"best", formatted("%.17g", best_)},
            {"average", snapshots_.needed()}};
  }

  void restore(const Counters& counters, int update, const std::string& path) override {
    next_batch_ = static_cast<std::size_t>(whole_counter(counters, "next_batch", path));
    best_ = counter(counters, "best", path);
    const auto average = counters.find("average");  // older checkpoints do not name them
    snapshots_.restore(update, average == counters.end() ? "" : average->second);
  }

 private:
  Translator& translator_;
  const TrainingData& data_;
  TrainingOptions options_;
  std::string directory_;
  std::uint64_t seed_;
  std::vector<NamedParameter> parameters_;
  std::vector<Example> valid_;
  Snapshots snapshots_;

  std::vector<Example> examples_;
  std::vector<std::vector<int>> batches_;
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
                       .adam = {.clip = options.clip, .weight_decay = options.weight_decay},
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
