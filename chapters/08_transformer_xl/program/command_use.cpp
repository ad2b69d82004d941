#include <CLI/App.hpp>
#include <cstdio>
#include <iostream>
#include <memory>
#include <utility>

#include "08_transformer_xl/program/commands.hpp"
#include "08_transformer_xl/program/language_model.hpp"
#include "08_transformer_xl/program/maps.hpp"
#include "io/safetensors.hpp"
#include "io/utf8.hpp"
#include "tensor/portable_math.hpp"
#include "train/kept_weights.hpp"
#include "train/progress.hpp"

namespace xf::language {

namespace {

struct UseFlags {
  std::string model, text, prompt;
  Lengths lengths;
  int batch = 1;
  Sampling sampling;
  bool everything = false;
};

std::shared_ptr<UseFlags> model_flags(CLI::App& app) {
  auto f = std::make_shared<UseFlags>();
  app.add_option("--model", f->model, "model directory, as written by `train`")->required();
  integer_flag(app, "--segment", f->lengths.segment, "new tokens per segment", 1)
      ->default_str("as trained");
  integer_flag(app, "--memory", f->lengths.memory, "states remembered per layer", 0)
      ->default_str("as trained");
  return f;
}

int run_evaluate(const UseFlags& f) {
  const LanguageModel language = load_model(f.model, f.lengths, f.batch);
  const TransformerXlConfig& config = language.model.config;
  const LanguageText text = encode_text(language.tokenizer, text_source(f.text));
  check_length(text, f.batch, config.segment);
  const Stopwatch watch;
  const Loss loss = [&] {
    Meanwhile meanwhile(double(text.predictions()), "tokens");
    return evaluate(language.model, text, f.batch, [&](double n) { meanwhile.add(n); });
  }();
  std::printf(
      "tokens %.0f  unknown %.0f  characters %.0f\nsegment %d  memory %d\nnats per token %.5f\n"
      "bits per character %.5f\nperplexity %.4f\ntokens per second %.0f\n",
      loss.tokens, text.unknown, loss.characters, config.segment, config.memory, loss.per_token(),
      loss.bits_per_character(), portable::exp(loss.per_token()), loss.tokens / watch.seconds());
  return 0;
}

int run_attend(const UseFlags& f, const CommonOptions& common) {
  check_utf8(f.prompt, "--prompt");
  LanguageModel language = load_model(f.model, f.lengths, 1);
  if (language.model.config.kind == ModelKind::lstm)
    throw UserError("--model: {} is an LSTM, which has no attention", f.model);
  const std::vector<std::int32_t> ids = encode_prompt(language.tokenizer, f.prompt);
  if (ids.size() < 2) throw UserError("{}: no tokens", "--prompt");
  const auto piece = [&](int id) { return language.tokenizer.piece(id); };
  Explorer page{
      .title = "Attention: " + f.model, .sentence = {f.prompt}, .checkpoints = {}, .views = {}};
  for (const KeptWeights& kept : kept_weights(f.model)) {
    LanguageModel earlier = load_model(f.model, f.lengths, 1);
    load_parameters(kept.path, parameters(earlier.model));
    look(earlier.model, ids, piece, "update " + std::to_string(kept.update), page);
  }
  look(language.model, ids, piece, "model", page);
  const std::string path = output_path(common, "attention.html");
  write_explorer(std::move(page), path, f.everything);
  std::cout << path << '\n';
  return 0;
}

int run_generate(const UseFlags& f, const CommonOptions& common) {
  check_utf8(f.prompt, "--prompt");
  const LanguageModel language = load_model(f.model, f.lengths, 1);
  const std::vector<std::int32_t> prompt = encode_prompt(language.tokenizer, f.prompt);
  Sampling sampling = f.sampling;
  sampling.seed = common.seed;
  catch_interrupts();
  GrowingText text(language.tokenizer);
  for (std::size_t i = 1; i < prompt.size(); ++i) std::cout << text.take(prompt[i]);
  generate(language.model, prompt, sampling, [&](int id) {
    std::cout << text.take(id) << std::flush;
    return !interrupted();
  });
  std::cout << std::endl;
  return 0;
}

}  // namespace

Command add_evaluate(CLI::App& app) {
  const auto f = model_flags(app);
  app.add_option("--text", f->text, "the text to predict")->required();
  integer_flag(app, "--extended", f->lengths.extended,
               "tokens read again with the next segment, as its context", 0)
      ->default_str("as trained");
  integer_flag(app, "--clamp", f->lengths.clamp, "clamp longer distances to this; 0: no limit", 0)
      ->default_str("as trained");
  app.add_flag_function(
      "--same-length,!--no-same-length",
      [f](std::int64_t count) { f->lengths.same_length = count > 0; },
      "every query sees the same number of keys (default: as trained)");
  integer_flag(app, "--batch", f->batch, "streams read in parallel, each starting without context",
               1);
  return [f](const CommonOptions&) { return run_evaluate(*f); };
}

Command add_attend(CLI::App& app) {
  const auto f = model_flags(app);
  app.add_option("--prompt", f->prompt, "the text to read")->required();
  app.add_flag("--everything", f->everything, "leave nothing out, however large the page gets");
  return [f](const CommonOptions& common) { return run_attend(*f, common); };
}

Command add_generate(CLI::App& app) {
  const auto f = model_flags(app);
  app.add_option("--prompt", f->prompt, "how the text begins");
  integer_flag(app, "--length", f->sampling.length, "tokens to write", 1);
  integer_flag(app, "--top-k", f->sampling.top_k,
               "sample from the k most likely tokens; 0: from all", 0);
  app.add_option("--top-p", f->sampling.top_p,
                 "sample from the fewest tokens whose probabilities together reach this")
      ->check(range_problem(0, 1))
      ->capture_default_str();
  app.add_option("--temperature", f->sampling.temperature,
                 "logits are divided by this; 0: always the most likely token")
      ->check(range_problem(0, 100))
      ->capture_default_str();
  return [f](const CommonOptions& common) { return run_generate(*f, common); };
}

}  // namespace xf::language
