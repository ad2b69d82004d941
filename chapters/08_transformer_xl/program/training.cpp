#include "08_transformer_xl/program/training.hpp"

#include <algorithm>

#include "io/config.hpp"
#include "io/printable.hpp"
#include "tensor/portable_math.hpp"
#include "train/training_run.hpp"

namespace xf::language {

namespace {

std::string memory_name(std::size_t layer) { return "memory." + std::to_string(layer); }

// The text in streams, segment by segment; every stream has its own memory.
class LanguageTask : public TrainingTask {
 public:
  LanguageTask(AnySegmentModel& model, const TrainingData& data, const TrainingOptions& options)
      : model_(model),
        data_(data),
        batch_(options.batch),
        shards_(shards_of_batch(options.run.shards)),
        streams_{data.train.ids, options.batch} {
    forget();
  }

  std::vector<NamedParameter> parameters() override { return xf::parameters(model_); }
  void start_epoch(int) override {}
  void end_epoch() override {
    offset_ = 0;
    forget();
  }
  double epoch_share() const override { return double(offset_) / double(streams_.length()); }
  std::string history_columns() const override { return ",valid_loss,valid_bits_per_character"; }

  ShardedBatch batch() override {
    const TransformerXlConfig& c = model_.config;
    std::vector<Streams::Piece> pieces;
    int tokens = 0;
    for (int i = 0; i < groups(); ++i) {
      pieces.push_back(streams_.piece(row(i), row(i + 1), offset_, c.segment, c.extended));
      tokens += pieces.back().counted;
    }
    offset_ += c.segment;
    const auto loss = [this, tokens, pieces = std::move(pieces)](int i) {
      const Streams::Piece& piece = pieces[static_cast<std::size_t>(i)];
      return model_.loss(piece.ids, piece.expected, memories_[static_cast<std::size_t>(i)],
                         {.divisor = double(tokens)});
    };
    return {.tokens = tokens, .shards = groups(), .loss = loss};
  }

  double valid_loss() override {
    return data_.valid.predictions() > 0 ? evaluate(model_, data_.valid, batch_).nats : 0;
  }
  // Scored by the loss itself.
  Validation validate(double valid_loss) override {
    const Loss loss{valid_loss, double(data_.valid.predictions()), data_.valid.characters};
    if (loss.tokens <= 0) return {.score = {}, .report = "", .columns = ",0.00000,0.00000"};
    const double nats = loss.per_token(), bits = loss.bits_per_character();
    return {nats,
            formatted("  valid loss %.4f  perplexity %.3f  %.4f bits/character", nats,
                      portable::exp(nats), bits),
            formatted(",%.5f,%.5f", nats, bits)};
  }

  Counters counters() const override {
    return {{"offset", std::to_string(offset_)},
            {"tokens", std::to_string(data_.train.predictions())}};
  }

  // The memories of all streams as (batch, M, D) per layer; none at the start of the text.
  NamedTensors tensors() const override {
    NamedTensors all;
    if (nothing_remembered()) return all;
    for (std::size_t layer = 0; layer < static_cast<std::size_t>(model_.config.layers); ++layer) {
      const auto states = [&](int group) {
        const auto& layers = memories_[static_cast<std::size_t>(group)].layers;
        return from_process_of(group, groups(), layers.empty() ? Tensor() : layers[layer].states);
      };
      Tensor joined = states(0);
      for (int group = 1; group < groups(); ++group) joined = concat(joined, states(group), 0);
      all.emplace_back(memory_name(layer), joined);
    }
    return all;
  }

  void restore(const Counters& counters, const std::string& path) override {
    const char* name = counters.contains("place") ? "place" : "offset";  // its former name
    offset_ = whole_counter(counters, name, path, streams_.length());
    if (offset_ % model_.config.segment != 0)
      throw UserError("{}: {} is {}, where no segment begins", path, name, offset_);
    const double tokens = counter(counters, "tokens", path);
    if (tokens != double(data_.train.predictions()))
      throw UserError("--resume: the checkpoint was made with a text of {} tokens, not {}",
                      counters.at("tokens"), data_.train.predictions());
    restore_memory(path);
  }

 private:
  // The streams of group i are [row(i), row(i + 1)); each group is a shard of the batch.
  int groups() const { return static_cast<int>(memories_.size()); }
  int row(int group) const { return batch_ * group / groups(); }

  // Nothing is remembered when the text starts or restarts.
  void forget() {
    memories_.assign(static_cast<std::size_t>(std::min(batch_, shards_)), model_.start());
  }

  // The first `extended` tokens of a stream are read again, not remembered.
  bool nothing_remembered() const {
    return model_.start().memory_length == 0 || offset_ <= model_.config.extended;
  }

  void restore_memory(const std::string& path) {
    const SafeTensors file = load_safetensors(path);
    const TransformerXlConfig& c = model_.config;
    const int most = model_.start().memory_length;
    if (nothing_remembered()) return;
    const auto first = file.tensors.find(memory_name(0));
    for (std::size_t layer = 0; layer < static_cast<std::size_t>(c.layers); ++layer) {
      const auto found = file.tensors.find(memory_name(layer));
      if (found == file.tensors.end())
        throw UserError("{}: tensor {} is missing", path, memory_name(layer));
      const Tensor& all = found->second;
      if (all.rank() != 3 || all.size(0) != batch_ || all.size(1) > most ||
          all.size(2) != AnyStack::memory_width(c) || all.size(1) != first->second.size(1))
        throw UserError("{}: {} is {}, which is not a memory of this run", path, memory_name(layer),
                        all.shape().str());
      check_finite(path, memory_name(layer), all);
      for (int group = 0; group < groups(); ++group)
        memories_[static_cast<std::size_t>(group)].layers.push_back(
            {.states = slice(all, 0, row(group), row(group + 1) - row(group))});
    }
  }

  AnySegmentModel& model_;
  const TrainingData& data_;
  int batch_, shards_;
  Streams streams_;
  std::vector<Memory> memories_;  // one per group of streams
  std::ptrdiff_t offset_ = 0;     // the next prediction, the same in every stream
};

}  // namespace

void check_options(const TrainingOptions& t) {
  check_run(t.run);
  require_least("batch", 1, t.batch);
  require_positive("lr", t.run.lr);
  require_share("beta2", t.beta2);
  require_share("embedding_dropout", t.embedding_dropout);
}

bool train_model(LanguageModel& model, const TrainingData& data, const TrainingOptions& options,
                 const std::string& directory, std::uint64_t seed, bool resume) {
  model.model.embedding_dropout = static_cast<float>(options.embedding_dropout);
  LanguageTask task(model.model, data, options);
  return run_training(task,
                      {.run = options.run,
                       .peak = options.run.lr,
                       .beta2 = options.beta2,
                       .epsilon = 1e-8,
                       .best = Best::lowest,
                       .directory = directory,
                       .seed = seed,
                       .options = to_json(options),
                       .text = data.train.fingerprint,
                       .valid = data.valid.fingerprint,
                       .unit = "tokens"},
                      resume);
}

}  // namespace xf::language
