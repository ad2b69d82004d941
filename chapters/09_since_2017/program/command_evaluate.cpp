#include <CLI/App.hpp>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>

#include "09_since_2017/program/commands.hpp"
#include "09_since_2017/program/read_text.hpp"
#include "io/files.hpp"
#include "io/printable.hpp"
#include "io/safetensors.hpp"
#include "nn/parameters.hpp"
#include "ops/matmul/decoding_session.hpp"
#include "program/config_flags.hpp"
#include "tensor/portable_math.hpp"
#include "train/progress.hpp"

namespace xf::since_2017 {

namespace {

struct EvaluateFlags {
  std::string model, text, logits;
  int context = 0;
  WeightPrecision precision = WeightPrecision::float32;
};

// In float32 a session would keep copies of weights that products of many rows do not need.
DecodingSession session_of(const DecoderOnly& model, WeightPrecision precision) {
  const bool kept = precision == WeightPrecision::int8;
  return DecodingSession(kept ? weights(model) : std::vector<Tensor>{}, precision);
}

// The text in windows of `context` tokens, each of which begins with the last token of the previous
// one, so that every token but the very first is predicted once.
int run_evaluate(const EvaluateFlags& f) {
  const std::string text = read_file(f.text);
  const ReadText read(f.model, text, f.text);
  const std::vector<int>& ids = read.ids;
  const int most = read.published.max_positions;
  if (most > 0 && f.context > most)
    throw UserError("--context: the model has only {} positions", most);
  const auto context =
      static_cast<std::size_t>(f.context > 0 ? f.context : std::min(most > 0 ? most : 1024, 1024));
  const DecodingSession session = session_of(read.published.model, f.precision);
  const Stopwatch watch;
  double sum = 0;
  {
    Meanwhile meanwhile(double(ids.size()), "tokens");
    for (std::size_t first = 0; first + 1 < ids.size(); first += context - 1) {
      const auto stretch = std::span(ids).subspan(first, std::min(context, ids.size() - first));
      for (const double log_p : log_probabilities(read.published.model, stretch)) sum += log_p;
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

// Writes the logits of the next token as a file of one tensor, (V).
void write_logits(const DecoderOnly& model, const std::vector<int>& ids, const std::string& path) {
  DecoderOnly::Cache cache;
  const Tensor next = model.next_logits(Ids({1, static_cast<int>(ids.size())}, ids), cache);
  save_safetensors(path, {{"logits", reshape(next, {next.size(2)})}});
}

// Prints each token with its probability, one per line; the first token has none.
int run_score(const EvaluateFlags& f) {
  const ReadText read(f.model, f.text, "--text");
  read.check_length("--text");
  const std::vector<int>& ids = read.ids;
  const DecodingSession session = session_of(read.published.model, f.precision);
  const std::vector<double> logs = log_probabilities(read.published.model, ids);
  double sum = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) sum += logs[i - 1];
    std::cout << (i == 0 ? "         -" : formatted("%10.4g", portable::exp(logs[i - 1]))) << "  "
              << printable(read.spelled(ids[i])) << '\n';
  }
  std::cout << formatted("log p %.6f  tokens %zu  perplexity %.4f\n", sum, logs.size(),
                         portable::exp(-sum / double(logs.size())));
  if (!f.logits.empty()) write_logits(read.published.model, ids, f.logits);
  return 0;
}

}  // namespace

Command add_evaluate(CLI::App& app) {
  auto f = std::make_shared<EvaluateFlags>();
  add_published_model_flag(app, f->model);
  app.add_option("--text", f->text, "the text to predict")->type_name("FILE")->required();
  integer_flag(app, "--context", f->context, "tokens that are read at once", 2)
      ->default_str("1024, or the model's limit");
  add_precision_flag(app, f->precision);
  return [f](const CommonOptions&) { return run_evaluate(*f); };
}

Command add_score(CLI::App& app) {
  auto f = std::make_shared<EvaluateFlags>();
  add_published_model_flag(app, f->model);
  app.add_option("--text", f->text, "the text to predict, token by token")->required();
  app.add_option("--logits", f->logits, "where the logits of the next token go, as safetensors")
      ->type_name("FILE");
  add_precision_flag(app, f->precision);
  return [f](const CommonOptions&) { return run_score(*f); };
}

}  // namespace xf::since_2017
