// Capstone A: trains the language model of the milestones on a text, for so many minutes.

#include <chrono>
#include <CLI/App.hpp>
#include <iostream>
#include <numbers>

#include "08_transformer_xl/program/language_text.hpp"
#include "language_model/1_model/exercise.hpp"
#include "language_model/2_training/exercise.hpp"
#include "program/program.hpp"
#include "speech/show.hpp"
#include "text/vocabulary.hpp"
#include "train/schedule.hpp"

namespace xf {

namespace {

using exercise::LanguageModel;

struct Options : CommonOptions {
  std::string text, valid;
  int d_model = 128, layers = 4, heads = 4, segment = 64, batch = 12, write = 300;
  int parameters = 800'000, updates = 0, warmup = 100, valid_every = 500;
  double minutes = 4, rate = 1e-3, temperature = 0.8;
};

void add_flags(CLI::App& app, Options& o) {
  app.add_option("--text", o.text, "training text (default: the tutorial's own documentation)");
  app.add_option("--valid", o.valid, "validation text");
  integer_flag(app, "--d-model", o.d_model, "width of the model", 2);
  integer_flag(app, "--layers", o.layers, "layers", 1);
  integer_flag(app, "--heads", o.heads, "attention heads", 1);
  integer_flag(app, "--parameters", o.parameters, "as many parameters, by the width of d_ff", 1);
  integer_flag(app, "--segment", o.segment, "tokens that a window predicts", 1);
  integer_flag(app, "--batch", o.batch, "windows in an update", 1);
  integer_flag(app, "--updates", o.updates, "stop after so many updates (0: by --minutes)", 0);
  app.add_option("--minutes", o.minutes, "stop after so many minutes")
      ->check(positive_problem)
      ->capture_default_str();
  app.add_option("--lr", o.rate, "learning rate at its peak; it falls to 0 at the end")
      ->check(positive_problem)
      ->capture_default_str();
  integer_flag(app, "--warmup", o.warmup, "updates until the peak", 0);
  integer_flag(app, "--valid-every", o.valid_every, "updates between two looks at --valid", 1);
  integer_flag(app, "--write", o.write, "tokens to write at the end", 0);
  app.add_option("--temperature", o.temperature, "of what is written")
      ->check(positive_problem)
      ->capture_default_str();
}

exercise::Text tokens_of(const Tokenizer& tokenizer, const language::TextSource& source) {
  const language::LanguageText text = language::encode_text(tokenizer, source);
  return text.ids.read(0, text.ids.size());
}

// Continues the text that begins with the end of a line, token by token, from the last `segment`.
std::vector<int> written(const LanguageModel& model, const Options& o, Random& random) {
  std::vector<int> tokens = {eos_id};
  for (int i = 0; i < o.write; ++i) {
    const int count = std::min(o.segment, static_cast<int>(tokens.size()));
    Ids ids = Ids::full({1, count}, 0);
    std::copy(tokens.end() - count, tokens.end(), ids.begin());
    const Tensor scores = slice(exercise::logits(model, ids), 1, count - 1, 1);  // (1, 1, V)
    const Values p = softmax(scale(scores, static_cast<float>(1 / o.temperature))).values();
    double left = random.uniform();
    int token = 0;
    while (token + 1 < static_cast<int>(p.size()) && (left -= p[token]) >= 0) ++token;
    tokens.push_back(token);
  }
  return {tokens.begin() + 1, tokens.end()};
}

std::string told(double nats) {
  return "  valid loss " + fixed(nats, 4) + "  " + fixed(nats / std::numbers::ln2, 4) +
         " bits/character";
}

// The time of training: looking at the validation text is none.
class Stopwatch {
 public:
  double seconds() const { return now() - left_out_; }
  template <class Run>
  auto leave_out(const Run& run) {
    const double before = now();
    const auto result = run();
    left_out_ += now() - before;
    return result;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double now() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  Clock::time_point begin_ = Clock::now();
  double left_out_ = 0;
};

void train(const Options& o) {
  if (o.d_model % o.heads != 0 || o.d_model % 2 != 0)
    throw UserError("--d-model: " + std::to_string(o.d_model) + " is odd, or no multiple of " +
                    std::to_string(o.heads) + " heads");
  const language::TextSources sources = language::text_sources(o.text, o.valid);
  const Tokenizer tokenizer =
      language::train_tokenizer(TokenizerKind::character, sources.train, 0, 1);
  const exercise::Text text = tokens_of(tokenizer, sources.train);
  const exercise::Text valid = tokens_of(tokenizer, sources.valid);
  if (static_cast<int>(text.size()) <= o.segment)
    throw UserError("--text: " + std::to_string(text.size()) + " tokens fill no window of " +
                    std::to_string(o.segment));

  exercise::LanguageModelSizes sizes{tokenizer.size(), o.d_model, 1, o.heads, o.layers};
  sizes.d_ff = exercise::hidden_units(sizes, o.parameters);
  Random random(o.seed), windows(o.seed, 1), writing(o.seed, 2);
  LanguageModel model(sizes, random);
  const std::int64_t count = parameter_count(parameters(model));
  if (sizes.d_ff == 1 && count - o.parameters > std::int64_t(o.layers) * (2 * o.d_model + 1))
    throw UserError("--parameters: " + std::to_string(o.parameters) +
                    ", but with d_ff 1 there are " + std::to_string(count) +
                    "; a smaller --d-model or fewer --layers have fewer");
  exercise::AdamW adam{.parameters = parameters(model), .m = {}, .v = {}};
  const exercise::Loss loss = [&](const Ids& tokens) { return exercise::loss(model, tokens); };
  std::cout << text.size() - 1 << " training tokens, " << valid.size() - 1
            << " for validation; a vocabulary of " << tokenizer.size() << "; d_ff " << sizes.d_ff
            << "; " << count << " parameters" << std::endl;

  const Schedule schedule{ScheduleKind::linear, o.rate, o.warmup};
  Stopwatch watch;
  double total = 0;
  int counted = 0;
  const auto say_loss = [&] {
    std::cout << "update " << adam.steps << "  " << fixed(watch.seconds(), 0) << " s  loss "
              << fixed(counted ? total / counted : 0, 4);
    if (valid.size() > 1)
      std::cout << told(
          watch.leave_out([&] { return exercise::evaluate(loss, valid, o.segment); }));
    std::cout << std::endl;
    total = counted = 0;
  };
  catch_interrupts();
  while (!interrupted()) {
    const double done =
        o.updates ? double(adam.steps) / o.updates : watch.seconds() / (60 * o.minutes);
    if (done >= 1) break;
    const Ids batch = exercise::draw_windows(text, o.batch, o.segment + 1, windows);
    total += exercise::update(adam, loss, batch, schedule(adam.steps + 1, done));
    ++counted;
    if (adam.steps % o.valid_every == 0) say_loss();
  }
  if (counted) say_loss();
  std::cout << "\n" << language::decode_text(tokenizer, written(model, o, writing)) << "\n";
}

}  // namespace

}  // namespace xf

int main(int argc, char** argv) {
  xf::Options options;
  options.out = "out/capstones/language_model";
  options.arithmetic = xf::Arithmetic::fast;  // as chapter 8 trains
  return xf::run_lesson(
      argc, argv, "Capstone A: a language model of the parts of chapters 1 to 6", options, 1,
      [&] { xf::train(options); }, [&](CLI::App& app) { xf::add_flags(app, options); });
}
