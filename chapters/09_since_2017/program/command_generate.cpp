#include <algorithm>
#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "09_since_2017/program/commands.hpp"
#include "09_since_2017/program/published_model.hpp"
#include "09_since_2017/sampling.hpp"
#include "io/files.hpp"
#include "io/utf8.hpp"
#include "nn/parameters.hpp"
#include "ops/matmul/decoding_session.hpp"
#include "program/config_flags.hpp"

namespace xf::since_2017 {

namespace {

struct GenerateFlags {
  std::string model, prompt, prompt_file;
  int length = 50;
  bool greedy = false;
  TokenChoice choice;
  WeightPrecision precision = WeightPrecision::float32;
};

int run_generate(const GenerateFlags& f, const CommonOptions& common) {
  const std::string given = f.prompt_file.empty() ? "--prompt" : f.prompt_file;
  const std::string beginning = f.prompt_file.empty() ? f.prompt : read_file(f.prompt_file);
  check_utf8(beginning, given);
  const PublishedModel published = load_published_model(f.model);
  const PublishedTokenizer tokenizer = load_published_tokenizer(f.model, published);
  std::vector<int> prompt = tokenizer.encode(beginning);
  if (prompt.empty() && published.begin >= 0 && published.begin < published.model.config.vocabulary)
    prompt = {published.begin};
  if (prompt.empty()) throw UserError("{}: no tokens", given);
  const auto total = static_cast<std::int64_t>(prompt.size()) + f.length - 1;
  if (published.max_positions > 0 && total > published.max_positions)
    throw UserError("--length: {} tokens of the prompt and {} more exceed the model's {} positions",
                    prompt.size(), f.length, published.max_positions);
  catch_interrupts();
  Random random(common.seed);
  TokenText text = tokenizer.text();
  TokenChoice choice = f.choice;
  if (f.greedy) choice.temperature = 0;
  const DecodingSession session(weights(published.model), f.precision);
  generate(published.model, prompt, f.length, choice, random, [&](int id) {
    if (std::count(published.ends.begin(), published.ends.end(), id)) return false;
    std::string more;
    tokenizer.append(id, text, more);
    std::cout << more << std::flush;
    return !interrupted();
  });
  std::cout << text.end() << std::endl;
  return 0;
}

}  // namespace

void add_published_model_flag(CLI::App& app, std::string& path) {
  app.add_option(
         "--model", path,
         "a published model, GPT-2, Llama, Mistral, Qwen2 or Qwen3: its directory, or a GGUF file")
      ->type_name("DIR|FILE")
      ->required();
}

void add_choice_flags(CLI::App& app, TokenChoice& choice) {
  app.add_option("--temperature", choice.temperature,
                 "logits are divided by this; 0: always the most likely token")
      ->check(range_problem(0, 100))
      ->capture_default_str();
  integer_flag(app, "--top-k", choice.top_k, "sample from the k most likely tokens; 0: from all",
               0);
  app.add_option("--top-p", choice.top_p,
                 "sample from the fewest tokens whose probabilities together reach this")
      ->check(range_problem(0, 1))
      ->capture_default_str();
}

Command add_generate(CLI::App& app) {
  auto f = std::make_shared<GenerateFlags>();
  add_published_model_flag(app, f->model);
  auto* const prompt = app.add_option("--prompt", f->prompt, "how the text begins");
  app.add_option("--prompt-file", f->prompt_file, "a file with the prompt")
      ->type_name("FILE")
      ->excludes(prompt);
  integer_flag(app, "--length,--tokens", f->length, "maximum tokens to write", 1);
  app.add_flag("--greedy", f->greedy, "always take the most likely token, like --temperature 0");
  add_choice_flags(app, f->choice);
  add_precision_flag(app, f->precision);
  return [f](const CommonOptions& common) { return run_generate(*f, common); };
}

}  // namespace xf::since_2017
