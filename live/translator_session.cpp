#include <numeric>

#include "07_transformer/experiments/own_language.hpp"
#include "07_transformer/program/evaluation.hpp"
#include "io/base64.hpp"
#include "io/safetensors.hpp"
#include "live/language.hpp"
#include "live/session.hpp"
#include "live/unseen.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "tensor/portable_math.hpp"
#include "text/batches.hpp"
#include "train/training_loop.hpp"

namespace xf::live {

namespace {

constexpr int shown_sentences = 8;
constexpr std::size_t held_out = 200;  // number of sentences for the held-out loss

// Makes one update and records its loss.
struct One : TrainingWatcher {
  double share, loss = 0;

  explicit One(double done) : TrainingWatcher(1), share(done) {}
  double progress() override { return share; }
  void updated(double of_batch, int tokens) override {
    loss = of_batch;
    TrainingWatcher::updated(of_batch, tokens);
  }
};

class TranslatorSession : public Session {
 public:
  TranslatorSession(const TransformerConfig& sizes, const Switches& parts,
                    const TrainingOptions& options, std::uint64_t seed)
      : data_{.train = lesson_07::parallel_text(language().train), .valid = {}},
        translator_(lesson_07::fresh_translator(sizes, data_.train, seed)),
        subject_{translator_, parts},
        task_(translation_task(
            translator_, data_, options, "", seed,
            [parts](const Transformer& model, const Sentences& source, const Sentences& target) {
              return SwitchedModel(model, parts)(source, target);
            })),
        options_(options),
        trainer_(*task_, {.weight_decay = options.run.weight_decay}, options.run.clip,
                 {options.run.schedule, options.run.lr, options.run.warmup}, seed) {}

  std::vector<NamedParameter> parameters() override { return xf::parameters(translator_.model); }
  int updates() const override { return options_.run.updates; }
  Json about() const override {
    const TransformerConfig& c = translator_.model.config;
    return {{"layers", c.encoder_layers},
            {"d_model", c.d_model},
            {"heads", c.heads},
            {"batch", options_.batch_tokens},
            {"pairs", data_.train.size()},
            {"held_out", language().held_out.size()},
            {"rate", options_.run.lr},
            {"least", least_loss()},
            {"warmup", options_.run.warmup}};
  }
  double step() override {
    One update(double(trainer_.updates()) / updates());
    train(trainer_, update);
    return update.loss;
  }
  double held_out() override {
    const auto& unseen = lesson_07::parallel_text(language().held_out);
    std::vector<int> which(live::held_out);
    std::iota(which.begin(), which.end(), 0);
    const Batch batch = make_batch(encode_pairs(translator_, unseen.source, unseen.target), which);
    const SwitchedModel model(translator_.model, subject_.trained);
    return cross_entropy(model(batch.source, batch.target_in), batch.target_out,
                         {.ignore = pad_id,
                          .smoothing = static_cast<float>(options_.label_smoothing),
                          .divisor = double(batch.target_tokens)})
        .item();
  }
  const Subject* subject() const override { return &subject_; }

  Json score(Fields& request) override {
    auto [right, wrong, held_out] = marked(translator_, subject_.trained, request);
    const auto hits = static_cast<int>(right.size());
    const auto count = hits + static_cast<int>(wrong.size());
    wrong.insert(wrong.end(), right.begin(), right.end());
    wrong.resize(std::min<std::size_t>(shown_sentences, wrong.size()));
    return {{"right", hits},
            {"of", count},
            {"share", double(hits) / count},
            {"held_out", held_out},
            {"examples", wrong}};
  }

 private:
  // The lower bound of the loss for smoothed targets, for any model: their entropy.
  //   q = (1 - eps) [target] + eps / V,   - sum_v q_v log q_v
  double least_loss() const {
    const double v = translator_.model.config.target_vocabulary, eps = options_.label_smoothing;
    if (eps == 0) return 0;
    const double other = eps / v, target = 1 - eps + other;
    return -target * portable::log(target) - (v - 1) * other * portable::log(other);
  }

  TrainingData data_;
  Translator translator_;  // holds the trained parameters
  Subject subject_;
  std::unique_ptr<TrainingTask> task_;
  TrainingOptions options_;
  Trainer trainer_;
};

}  // namespace

std::unique_ptr<Session> translator_session(Fields options, std::uint64_t seed) {
  TransformerConfig sizes = lesson_07::language_sizes();
  TrainingOptions training = lesson_07::language_training();
  sizes.norm = static_cast<NormOrder>(options.choice("norm", {"post", "pre"}));
  sizes.d_model = options.integer("d_model", 8, 256, 64);
  sizes.d_ff = options.integer("d_ff", 8, 1024, 128);
  sizes.heads = options.integer("heads", 1, 16, sizes.heads);
  sizes.encoder_layers = sizes.decoder_layers =
      options.integer("layers", 1, 6, sizes.encoder_layers);
  const Switches parts{.heads_off = {},
                       .scale = options.boolean("scale", true),
                       .mask = options.boolean("mask", true)};
  training.run.updates = options.integer("updates", 1, 10000, 700);
  training.run.warmup = options.integer("warmup", 0, 10000, 150);
  training.run.lr = options.number("lr", 1e-6, 1, 3e-3);
  training.batch_tokens = options.integer("batch_tokens", 64, 8192, 1024);
  training.label_smoothing = options.number("smoothing", 0, 0.9, training.label_smoothing);
  const bool begun = options.has("weights_base64");
  const std::optional<std::string> weights =
      bytes_of_base64(begun ? options.text("weights_base64") : "");
  if (!weights) options.fail("\"weights_base64\" is not base64");
  options.done();
  auto session = std::make_unique<TranslatorSession>(sizes, parts, training, seed);
  if (begun) parse_parameters(*weights, "weights_base64", session->parameters());
  return session;
}

}  // namespace xf::live
