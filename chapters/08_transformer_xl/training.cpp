#include "08_transformer_xl/training.hpp"

#include <algorithm>
#include <cmath>

#include "io/config.hpp"
#include "tensor/parallel.hpp"
#include "train/averaging.hpp"
#include "train/train_command.hpp"

namespace xf::language {

namespace {

std::string memory_name(std::size_t layer) { return "memory." + std::to_string(layer); }

// The text in streams, segment by segment; every stream carries its memory along.
class LanguageTask : public TrainingTask {
 public:
  LanguageTask(SegmentModel& model, const TrainingData& data, const TrainingOptions& options,
               const std::string& directory)
      : model_(model),
        data_(data),
        batch_(options.batch),
        directory_(directory),
        streams_{data.train.ids, options.batch},
        snapshots_(directory, options.average) {
    forget();
  }

  // A fresh run leaves nothing of an earlier one behind.
  void clear() const { snapshots_.clear(); }

  std::vector<NamedParameter> parameters() override { return xf::parameters(model_); }
  void start_epoch(int) override {}
  void end_epoch() override {
    place_ = 0;
    forget();
  }
  double epoch_share() const override { return double(place_) / double(streams_.length()); }
  std::string history_columns() const override { return ",valid_loss,valid_bits_per_character"; }

  BatchLoss batch(DataParallel& parallel, std::uint64_t seed) override {
    const TransformerXlConfig& c = model_.config();
    std::vector<Streams::Piece> pieces;
    int tokens = 0;
    for (int i = 0; i < groups(); ++i) {
      pieces.push_back(streams_.piece(row(i), row(i + 1), place_, c.segment, c.extended));
      tokens += pieces.back().counted;
    }
    const double loss = parallel.run(groups(), seed, [&](int i) {
      const Streams::Piece& piece = pieces[static_cast<std::size_t>(i)];
      return model_.loss(piece.ids, piece.expected, memories_[static_cast<std::size_t>(i)],
                         {.divisor = double(tokens)});
    });
    place_ += c.segment;
    return {loss, tokens};
  }

  // Evaluates the averaged model and keeps it if it is the best so far. Without a validation text
  // the last one is the best.
  Validation validate(int update) override {
    snapshots_.add(update, parameters());
    const bool valid = data_.valid.predictions() > 0;
    Loss loss{.tokens = double(data_.valid.predictions()), .characters = data_.valid.characters};
    loss.nats = snapshots_.load_better(
        parameters(), [&] { return valid ? evaluate(model_, data_.valid, batch_).nats : 0; });
    const double nats = valid ? loss.per_token() : 0, bits = valid ? loss.bits_per_character() : 0;
    const bool better = !valid || best_ < 0 || nats < best_;
    if (better) save_parameters(weights_path(directory_), parameters());
    if (better && valid) best_ = nats;
    snapshots_.load_last(parameters());
    return {better,
            valid ? formatted("  valid loss %.4f  perplexity %.3f  %.4f bits/character%s", nats,
                              std::exp(nats), bits, better ? "  *" : "")
                  : "",
            formatted(",%.5f,%.5f", nats, bits)};
  }

  Counters counters() const override {
    return {{"place", std::to_string(place_)},
            {"best", formatted("%.17g", best_)},
            {"tokens", std::to_string(data_.train.predictions())},
            {"average", snapshots_.needed()}};
  }

  // The memories of all streams as (batch, M, D) per layer; none at the start of the text.
  NamedTensors tensors() const override {
    NamedTensors all;
    if (memories_[0].present_length() == 0) return all;
    for (std::size_t layer = 0; layer < memories_[0].states.size(); ++layer) {
      Tensor joined = memories_[0].states[layer];
      for (std::size_t group = 1; group < memories_.size(); ++group)
        joined = concat(joined, memories_[group].states[layer], 0);
      all.emplace_back(memory_name(layer), joined);
    }
    return all;
  }

  void restore(const Counters& counters, int update, const std::string& path) override {
    place_ = whole_counter(counters, "place", path, streams_.length());
    if (place_ % model_.config().segment != 0)
      throw UserError(path + ": place is " + std::to_string(place_) + ", where no segment begins");
    best_ = counter(counters, "best", path);
    const double tokens = counter(counters, "tokens", path);
    if (tokens != double(data_.train.predictions()))
      throw UserError("--resume: the checkpoint was made with a text of " + counters.at("tokens") +
                      " tokens, not " + std::to_string(data_.train.predictions()));
    restore_memory(path);
    const auto average = counters.find("average");  // older checkpoints do not name them
    snapshots_.restore(update, average == counters.end() ? "" : average->second);
  }

 private:
  // The streams of group i are [row(i), row(i + 1)); each group runs on a thread of its own.
  int groups() const { return static_cast<int>(memories_.size()); }
  int row(int group) const { return batch_ * group / groups(); }

  // The text begins (again): nothing is remembered.
  void forget() {
    memories_.assign(static_cast<std::size_t>(std::min(batch_, threads())), model_.start());
  }

  void restore_memory(const std::string& path) {
    const SafeTensors file = load_safetensors(path);
    const TransformerXlConfig& c = model_.config();
    if (place_ == 0 || c.memory == 0 || c.segment <= c.extended) return;  // nothing is remembered
    const auto first = file.tensors.find(memory_name(0));
    for (std::size_t layer = 0; layer < static_cast<std::size_t>(c.layers); ++layer) {
      const auto found = file.tensors.find(memory_name(layer));
      if (found == file.tensors.end())
        throw UserError(path + ": tensor " + memory_name(layer) + " is missing");
      const Tensor& all = found->second;
      if (all.rank() != 3 || all.size(0) != batch_ || all.size(1) > c.memory ||
          all.size(2) != c.d_model || all.size(1) != first->second.size(1))
        throw UserError(path + ": " + memory_name(layer) + " is " + all.shape().str() +
                        ", which is no memory of this run");
      check_finite(path, memory_name(layer), all);
      for (int group = 0; group < groups(); ++group)
        memories_[static_cast<std::size_t>(group)].states.push_back(
            slice(all, 0, row(group), row(group + 1) - row(group)));
    }
  }

  SegmentModel& model_;
  const TrainingData& data_;
  int batch_;
  std::string directory_;
  Streams streams_;
  Snapshots snapshots_;
  std::vector<Memory> memories_;  // one per group of streams
  std::ptrdiff_t place_ = 0;      // in every stream: what is predicted next
  double best_ = -1;              // the lowest validation loss
};

}  // namespace

void check_options(const TrainingOptions& t) {
  check_limits(limits_of(t));
  check_at_least("--batch", 1, t.batch);
  check_at_least("--warmup", 0, t.warmup);
  check_at_least("--clip", 0, t.clip);
  check_at_least("--weight-decay", 0, t.weight_decay);
  check_at_least("--average", 1, t.average);
  if (!(t.lr > 0)) throw UserError("--lr: more than 0");
  if (!(t.beta2 >= 0 && t.beta2 < 1)) throw UserError("--beta2: at least 0 and less than 1");
  if (!(t.embedding_dropout >= 0 && t.embedding_dropout < 1))
    throw UserError("--embedding-dropout: at least 0 and less than 1");
  parse_schedule(t.schedule);
}

bool train_model(LanguageModel& model, const TrainingData& data, const TrainingOptions& options,
                 const std::string& directory, std::uint64_t seed, bool resume) {
  model.model.set_embedding_dropout(static_cast<float>(options.embedding_dropout));
  LanguageTask task(model.model, data, options, directory);
  if (!resume) task.clear();
  return run_training(task,
                      {.limits = limits_of(options),
                       .adam = {.beta2 = options.beta2,
                                .epsilon = 1e-8,
                                .clip = options.clip,
                                .weight_decay = options.weight_decay},
                       .schedule = {.kind = parse_schedule(options.schedule),
                                    .peak = options.lr,
                                    .warmup = options.warmup},
                       .directory = directory,
                       .seed = seed,
                       .options = to_json(options),
                       .text = data.train.fingerprint,
                       .unit = "tokens"},
                      resume);
}

}  // namespace xf::language
