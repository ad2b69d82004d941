#include "09_since_2017/experiments/ablation.hpp"

#include <cmath>
#include <ctime>
#include <memory>

#include "01_embedding/positional_encoding.hpp"
#include "io/config_error.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "program/program.hpp"
#include "train/training_loop.hpp"

namespace xf::since_2017 {

namespace {

constexpr int evaluated_rows = 32;  // streams per validation

DecoderConfig newest(const AblationOptions& o, int vocabulary) {
  return {.vocabulary = vocabulary,
          .d_model = o.d_model,
          .d_ff = o.d_ff,
          .layers = o.layers,
          .heads = o.heads,
          .key_value_heads = o.key_value_heads,
          .d_k = o.d_model / o.heads,
          .positions = o.segment,
          .tied = true};
}

void take_positions(Variant& v, bool sinusoidal) {
  v.config.position = DecoderPositions::learned;
  v.sinusoidal = sinusoidal;
}
void take_layer_norm(Variant& v) { v.config.norm = NormKind::layer_norm; }
void take_plain_network(Variant& v) {
  v.config.gated = false;
  v.config.activation = [](const Tensor& x) { return relu(x); };
}
void take_all_heads(Variant& v) { v.config.key_value_heads = v.config.heads; }

// Every tensor that is trained.
std::vector<NamedParameter> trained(DecoderOnly& model, bool sinusoidal) {
  std::vector<NamedParameter> all = parameters(model);
  if (sinusoidal) std::erase_if(all, [](const auto& p) { return p.name == "positions"; });
  return all;
}

// The d_ff that gives the wanted number of parameters, which is linear in d_ff.
void widen(Variant& v, std::int64_t wanted) {
  Variant wider = v;
  ++wider.config.d_ff;
  const auto count = parameters_of(v), step = parameters_of(wider) - count;
  v.config.d_ff += static_cast<int>(std::lround(double(wanted - count) / double(step)));
  if (v.config.d_ff < 1)
    throw ConfigError("d_ff", "leaves no hidden unit for the model '{}'", v.name);
}

double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

// The text in streams, one segment of each at a time, without memory.
class SegmentTask : public TrainingTask {
 public:
  SegmentTask(const Variant& variant, const AblationOptions& options,
              const language::LanguageText& train, const language::LanguageText& valid,
              std::uint64_t seed)
      : model_(make_model(variant, seed)),
        sinusoidal_(variant.sinusoidal),
        segment_(options.segment),
        streams_{train.ids, options.batch},
        valid_{valid.ids, evaluated_rows},
        trainer_(*this, {.beta2 = 0.99, .epsilon = 1e-8}, options.clip,
                 {.kind = ScheduleKind::constant, .peak = options.lr, .warmup = options.warmup},
                 seed) {}

  std::vector<NamedParameter> parameters() override { return trained(model_, sinusoidal_); }
  void start_epoch(int) override {}
  void end_epoch() override { offset_ = 0; }
  double epoch_share() const override { return double(offset_) / double(streams_.length()); }
  std::string history_columns() const override { return ""; }
  Counters counters() const override { return {}; }
  void restore(const Counters&, const std::string&) override {}
  Validation validate(double) override { return {}; }

  ShardedBatch batch() override {
    const int shards = std::min(streams_.rows, shards_of_batch());
    std::vector<language::Streams::Piece> pieces;
    int tokens = 0;
    for (int i = 0; i < shards; ++i) {
      const int first = streams_.rows * i / shards, last = streams_.rows * (i + 1) / shards;
      pieces.push_back(streams_.piece(first, last, offset_, segment_, 0));
      tokens += pieces.back().counted;
    }
    offset_ += segment_;
    const auto loss = [this, tokens, pieces = std::move(pieces)](int i) {
      const auto& piece = pieces[static_cast<std::size_t>(i)];
      return cross_entropy_in_place(model_.logits(piece.ids), piece.expected,
                                    {.divisor = double(tokens)});
    };
    return {.tokens = tokens, .shards = shards, .loss = loss};
  }

  // In nats per token.
  double valid_loss() override {
    double nats = 0;
    for (std::ptrdiff_t begin = 0; begin < valid_.length(); begin += segment_) {
      const auto piece = valid_.piece(0, valid_.rows, begin, segment_, 0);
      for (const float p : log_likelihood(model_.logits(piece.ids), piece.expected))
        nats -= double(p);
    }
    return nats / double(valid_.predictions());
  }

  // Trains for `count` more updates, and adds a point to the curve.
  void go_on(int count) {
    const double start = processor_seconds();
    TrainingWatcher for_so_many(count);
    train(trainer_, for_so_many);
    seconds_ += processor_seconds() - start;
    curve_.push_back({trainer_.updates(), seconds_, valid_loss()});
  }
  const Curve& curve() const { return curve_; }

 private:
  DecoderOnly model_;
  bool sinusoidal_;
  int segment_;
  language::Streams streams_, valid_;
  Trainer trainer_;
  std::ptrdiff_t offset_ = 0;  // the next prediction, the same in every stream
  double seconds_ = 0;
  Curve curve_;
};

}  // namespace

void check_options(const AblationOptions& o) {
  require_least("d_model", 2, o.d_model);
  require_least("d_ff", 1, o.d_ff);
  require_least("layers", 1, o.layers);
  require_least("heads", 1, o.heads);
  require_least("key_value_heads", 1, o.key_value_heads);
  require_least("segment", 1, o.segment);
  require_least("batch", 1, o.batch);
  require_least("updates", 1, o.updates);
  require_least("valid_every", 1, o.valid_every);
  require_least("seeds", 1, o.seeds);
  require_positive("lr", o.lr);
  require_least("warmup", 0, o.warmup);
  require_not_negative("clip", o.clip);
  if (o.d_model % (2 * o.heads) != 0)  // rotary positions rotate pairs within a head
    throw ConfigError("heads", "expected a divisor of half of {} {}, not {}", OtherField{"d_model"},
                      o.d_model, o.heads);
  if (o.heads % o.key_value_heads != 0)
    throw ConfigError("key_value_heads", "expected a divisor of {} {}, not {}", OtherField{"heads"},
                      o.heads, o.key_value_heads);
}

std::vector<Variant> variants(const AblationOptions& options, int vocabulary) {
  const Variant base{"all since 2017", newest(options, vocabulary)};
  std::vector<Variant> all = {base};
  const auto add = [&](const std::string& name) -> Variant& {
    all.push_back(base);
    all.back().name = name;
    return all.back();
  };
  take_positions(add("learned positions"), false);
  take_positions(add("sinusoidal positions"), true);
  take_layer_norm(add("layer norm"));
  take_plain_network(add("ReLU network"));
  take_all_heads(add("keys for each head"));
  Variant& oldest = add("all of 2017");
  take_positions(oldest, true);
  take_layer_norm(oldest);
  take_plain_network(oldest);
  take_all_heads(oldest);
  const std::int64_t wanted = parameters_of(base);
  for (Variant& variant : all) widen(variant, wanted);
  return all;
}

DecoderOnly make_model(const Variant& variant, std::uint64_t seed) {
  Random random(seed);
  DecoderOnly model(variant.config, drawn(random));
  // Chapter 1 adds PE to sqrt(D) E; with E alone that is PE / sqrt(D).
  if (variant.sinusoidal)
    model.positions = scale(sinusoidal_positions(variant.config.positions, variant.config.d_model),
                            1 / std::sqrt(float(variant.config.d_model)));
  return model;
}

std::int64_t parameters_of(const Variant& variant) {
  DecoderOnly model = make_model(variant, 1);
  return parameter_count(trained(model, variant.sinusoidal));
}

std::int64_t cache_bytes(const Variant& variant) {
  const DecoderOnly model = make_model(variant, 1);
  DecoderOnly::Cache cache;
  model.next_logits(Ids::full({1, 1}, 0), cache);
  std::int64_t bytes = 0;
  for (const GroupedCache& layer : cache)
    bytes += std::int64_t{layer.k.width() + layer.v.width()} * std::int64_t{sizeof(float)};
  return bytes;
}

std::vector<Curve> train_side_by_side(const std::vector<Variant>& variants,
                                      const AblationOptions& options,
                                      const language::LanguageText& train,
                                      const language::LanguageText& valid, std::uint64_t seed) {
  std::vector<std::unique_ptr<SegmentTask>> tasks;
  for (const Variant& variant : variants)
    tasks.push_back(std::make_unique<SegmentTask>(variant, options, train, valid, seed));
  for (int done = 0; done < options.updates; done += options.valid_every)
    for (const auto& task : tasks) {
      if (interrupted()) return {};
      task->go_on(std::min(options.valid_every, options.updates - done));
    }
  std::vector<Curve> curves;
  for (const auto& task : tasks) curves.push_back(task->curve());
  return curves;
}

double nats_at(const Curve& curve, double seconds) {
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const Point &a = curve[i - 1], &b = curve[i];
    if (seconds > b.seconds) continue;
    const double share = (seconds - a.seconds) / (b.seconds - a.seconds);
    return a.nats + share * (b.nats - a.nats);
  }
  return curve.back().nats;
}

}  // namespace xf::since_2017
