#include <CLI/App.hpp>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>

#include "09_since_2017/program/commands.hpp"
#include "09_since_2017/program/published_model.hpp"
#include "io/files.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/shape/shape_ops.hpp"
#include "tensor/portable_math.hpp"
#include "train/progress.hpp"

namespace xf::since_2017 {

namespace {

struct EvaluateFlags {
  std::string model, text;
  int context = 0;
};

struct Language {
  PublishedModel published;
  PublishedTokenizer tokenizer;

  explicit Language(const std::string& path)
      : published(load_published_model(path)),
        tokenizer(load_published_tokenizer(path, published)) {}
};

// log p of each token but the first, given all before it. The logits of a few positions at a time:
// a row of them is as wide as the vocabulary.
std::vector<double> log_probabilities(const DecoderOnly& model, std::span<const int> ids) {
  std::vector<double> all;
  const auto length = static_cast<int>(ids.size());
  const Tensor states = model.states(Ids({1, length - 1}, ids.first(ids.size() - 1)));
  constexpr int most = 64;
  for (int first = 0; first + 1 < length; first += most) {
    const int count = std::min(most, length - 1 - first);
    const Values logs = log_softmax(model.output(slice(states, 1, first, count))).values();
    const std::ptrdiff_t width = static_cast<std::ptrdiff_t>(logs.size()) / count;
    for (int i = 0; i < count; ++i)
      all.push_back(double(logs.data()[i * width + ids[static_cast<std::size_t>(first + i) + 1]]));
  }
  return all;
}

// The text in stretches of `context` tokens, each of which begins with the last one of the stretch
// before: every token but the first of all is predicted once.
int run_evaluate(const EvaluateFlags& f) {
  const Language language(f.model);
  const std::string text = read_file(f.text);
  check_utf8(text, f.text);
  const std::vector<int> ids = language.tokenizer.encode(text);
  if (ids.size() < 2) throw UserError(f.text + ": fewer than two tokens");
  const int most = language.published.most_positions;
  if (most > 0 && f.context > most)
    throw UserError("--context: the model has " + std::to_string(most) + " positions");
  const auto context =
      static_cast<std::size_t>(f.context > 0 ? f.context : std::min(most > 0 ? most : 1024, 1024));
  const Stopwatch watch;
  double sum = 0;
  {
    Meanwhile meanwhile(double(ids.size()), "tokens");
    for (std::size_t first = 0; first + 1 < ids.size(); first += context - 1) {
      const auto stretch = std::span(ids).subspan(first, std::min(context, ids.size() - first));
      for (const double log_p : log_probabilities(language.published.model, stretch)) sum += log_p;
      meanwhile.add(double(stretch.size() - 1));
    }
  }
  const auto count = static_cast<double>(ids.size() - 1);
  std::printf(
      "tokens %.0f  bytes %zu\ncontext %zu\nnats per token %.5f\nbits per byte %.5f\n"
      "perplexity %.4f\ntokens per second %.0f\n",
      count, text.size(), context, -sum / count, -sum / std::log(2.0) / double(text.size()),
      portable::exp(-sum / count), count / watch.seconds());
  return 0;
}

// Each token with its probability, a line each; of the first one there is none.
int run_score(const EvaluateFlags& f) {
  const Language language(f.model);
  check_utf8(f.text, "--text");
  const std::vector<int> ids = language.tokenizer.encode(f.text);
  if (ids.size() < 2) throw UserError("--text: fewer than two tokens");
  const int most = language.published.most_positions;
  if (most > 0 && std::ssize(ids) > most)
    throw UserError("--text: " + std::to_string(ids.size()) + " tokens, the model has " +
                    std::to_string(most) + " positions");
  const std::vector<double> logs = log_probabilities(language.published.model, ids);
  double sum = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    TokenText spelled = language.tokenizer.text();
    const std::string token = spelled.take(language.tokenizer.token(ids[i])) + spelled.end();
    if (i > 0) sum += logs[i - 1];
    std::cout << (i == 0 ? "         -" : formatted("%10.4g", portable::exp(logs[i - 1]))) << "  "
              << printable(token) << '\n';
  }
  std::cout << formatted("log p %.6f  tokens %zu  perplexity %.4f\n", sum, logs.size(),
                         portable::exp(-sum / double(logs.size())));
  return 0;
}

}  // namespace

Command add_evaluate(CLI::App& app) {
  auto f = std::make_shared<EvaluateFlags>();
  add_published_model_flag(app, f->model);
  app.add_option("--text", f->text, "the text to predict")->type_name("FILE")->required();
  integer_flag(app, "--context", f->context, "tokens that are read at once", 2)
      ->default_str("1024, or what the model has");
  return [f](const CommonOptions&) { return run_evaluate(*f); };
}

Command add_score(CLI::App& app) {
  auto f = std::make_shared<EvaluateFlags>();
  add_published_model_flag(app, f->model);
  app.add_option("--text", f->text, "the text to predict, token by token")->required();
  return [f](const CommonOptions&) { return run_score(*f); };
}

}  // namespace xf::since_2017
