#include "07_transformer/program/training.hpp"

#include "io/config.hpp"
#include "io/printable.hpp"
#include "language/language.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/divergence/divergence.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "text/bleu_doubt.hpp"
#include "text/fingerprint.hpp"
#include "text/packed_batch.hpp"
#include "train/model_directory.hpp"
#include "train/training_run.hpp"

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

// R-Drop (Liang et al. 2021, eq. 4, halved): the sentences are read twice, each time with a
// different dropout mask, and the two predictions should be correct and agree.
//   loss = (CE(a) + CE(b)) / 2 + strength / 4 (KL(p_a || p_b) + KL(p_b || p_a))
//   a, b: logits (1, N, Vt)   returns a scalar
Tensor r_drop_loss(const Tensor& a, const Tensor& b, const Ids& targets,
                   const CrossEntropyOptions& options, double strength) {
  return 0.5f * (cross_entropy(a, targets, options) + cross_entropy(b, targets, options)) +
         static_cast<float>(strength / 4) * symmetric_divergence(a, b, options.divisor);
}

// Sentence pairs in batches of similar lengths.
class TranslationTask : public TrainingTask {
 public:
  TranslationTask(Translator& translator, const TrainingData& data, const TrainingOptions& options,
                  const std::string& directory, std::uint64_t seed, Forward forward)
      : translator_(translator),
        data_(data),
        options_(options),
        directory_(directory),
        seed_(seed),
        forward_(std::move(forward)),
        valid_(encode_pairs(translator, data.valid.source, data.valid.target)) {}

  std::vector<NamedParameter> parameters() override { return xf::parameters(translator_.model); }

  // With BPE-dropout, the words are cut differently in each epoch.
  void start_epoch(int epoch) override {
    examples_.clear();
    Random random(seed_, 1000003ull + static_cast<std::uint64_t>(epoch));
    for (std::size_t i = 0; i < data_.train.size(); ++i) {
      const auto cut = [&](const Tokenizer& tokenizer, const std::string& line) {
        if (options_.bpe_dropout == 0) return tokenizer.encode(line);
        std::vector<int> ids = tokenizer.sample(line, options_.bpe_dropout, random);
        return ids.size() > max_sentence_tokens ? tokenizer.encode(line) : ids;
      };
      examples_.push_back(
          {translator_.framed(cut(translator_.source_tokenizer, data_.train.source[i])),
           cut(translator_.target_tokenizer, data_.train.target[i])});
    }
    batches_ = length_bucketed_batches(examples_, options_.batch_tokens, seed_, epoch);
    if (next_batch_ >= batches_.size())
      throw UserError("{}: next_batch is {}, but the epoch has {} batches",
                      checkpoint_path(directory_), next_batch_, batches_.size());
  }
  void end_epoch() override { next_batch_ = 0; }
  double epoch_share() const override {
    return batches_.empty() ? 0 : double(next_batch_) / double(batches_.size());
  }

  ShardedBatch batch() override {
    auto shards =
        split_packed_batch(examples_, batches_[next_batch_], shards_of_batch(options_.run.shards));
    int tokens = 0;
    for (const PackedBatch& shard : shards) tokens += shard.target_tokens();
    const CrossEntropyOptions loss_options{
        .ignore = pad_id,
        .smoothing = static_cast<float>(options_.label_smoothing),
        .divisor = double(tokens)};
    ++next_batch_;
    const auto count = static_cast<int>(shards.size());
    const auto loss = [this, loss_options, shards = std::move(shards)](int i) {
      const PackedBatch& shard = shards[static_cast<std::size_t>(i)];
      const auto logits = [&] {  // (1, N, Vt)
        return forward_ ? forward_(translator_.model, shard.source, shard.target_in)
                        : translator_.model(shard.source, shard.target_in);
      };
      return options_.r_drop > 0
                 ? r_drop_loss(logits(), logits(), shard.target_out, loss_options, options_.r_drop)
                 : cross_entropy_in_place(logits(), shard.target_out, loss_options);
    };
    return {.tokens = tokens, .shards = count, .loss = loss};
  }

  double valid_loss() override {
    return valid_.empty() ? 0 : perplexity(score_pairs(translator_, valid_), valid_);
  }
  // By BLEU of greedy translations. The first validation warns about what BLEU cannot measure.
  Validation validate(double valid_perplexity) override {
    if (valid_.empty()) return {.score = {}, .report = "", .columns = ",0.0000,0.00"};
    const auto translations = translate_lines(translator_, data_.valid.source, {});
    const double score =
        bleu(translations, data_.valid.target, {.tokens = options_.bleu_tokens}).score;
    const Phrase doubt = doubted_ ? Phrase() : bleu_doubt(data_.valid.target, options_.bleu_tokens);
    doubted_ = true;
    return {score, formatted("  valid perplexity %.3f  valid BLEU %.2f", valid_perplexity, score),
            formatted(",%.4f,%.2f", valid_perplexity, score), doubt.str()};
  }
  std::string history_columns() const override { return ",valid_perplexity,valid_bleu"; }

  Counters counters() const override { return {{"next_batch", std::to_string(next_batch_)}}; }

  void restore(const Counters& counters, const std::string& path) override {
    next_batch_ = static_cast<std::size_t>(whole_counter(counters, "next_batch", path));
  }

 private:
  Translator& translator_;
  const TrainingData& data_;
  TrainingOptions options_;
  std::string directory_;
  std::uint64_t seed_;
  Forward forward_;
  std::vector<Example> valid_;

  std::vector<Example> examples_;
  std::vector<std::vector<int>> batches_;
  std::size_t next_batch_ = 0;
  bool doubted_ = false;  // was it printed?
};

// Dropout inside the sub-layers. (Dropout on their outputs and on the embeddings, as in Vaswani et
// al., 5.4, is left unchanged.)
void set_inner_dropout(Transformer& model, float rate) {
  for (EncoderLayer& layer : model.encoder.layers)
    layer.self_attention.dropout_rate = layer.feed_forward.dropout_rate = rate;
  for (DecoderLayer& layer : model.decoder.layers)
    layer.self_attention.dropout_rate = layer.cross_attention.dropout_rate =
        layer.feed_forward.dropout_rate = rate;
}

}  // namespace

void check_options(const TrainingOptions& t) {
  check_run(t.run);
  require_least("batch_tokens", 1, t.batch_tokens);
  require_not_negative("r_drop", t.r_drop);
  require_share("label_smoothing", t.label_smoothing);
  require_share("bpe_dropout", t.bpe_dropout);
  if (t.inner_dropout != -1) require_share("inner_dropout", t.inner_dropout);
}

std::unique_ptr<TrainingTask> translation_task(Translator& translator, const TrainingData& data,
                                               const TrainingOptions& options,
                                               const std::string& directory, std::uint64_t seed,
                                               Forward forward) {
  if (options.inner_dropout >= 0)
    set_inner_dropout(translator.model, static_cast<float>(options.inner_dropout));
  return std::make_unique<TranslationTask>(translator, data, options, directory, seed,
                                           std::move(forward));
}

bool train_translator(Translator& translator, const TrainingData& data,
                      const TrainingOptions& options, const std::string& directory,
                      std::uint64_t seed, bool resume) {
  const auto task = translation_task(translator, data, options, directory, seed);
  const int d_model = translator.model.config.d_model;
  return run_training(
      *task,
      {.run = options.run,
       .peak = options.run.lr > 0 ? options.run.lr : noam_peak(d_model, options.run.warmup),
       .best = Best::highest,
       .directory = directory,
       .seed = seed,
       .options = to_json(options),
       .text = fingerprint(data.train),
       .valid = fingerprint(data.valid),
       .unit = "words"},
      resume);
}

}  // namespace xf
