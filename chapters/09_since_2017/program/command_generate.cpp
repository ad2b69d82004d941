#include <algorithm>
#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "09_since_2017/program/commands.hpp"
#include "09_since_2017/program/published_model.hpp"
#include "09_since_2017/sampling.hpp"
#include "io/utf8.hpp"
#include "nn/parameters.hpp"
#include "ops/matmul/decoding_session.hpp"
#include "program/config_flags.hpp"

namespace xf::since_2017 {

namespace {

struct GenerateFlags {
  std::string model, prompt;
  int length = 50;
  bool greedy = false;
  TokenChoice choice;
  WeightPrecision precision = WeightPrecision::float32;
};

int run_generate(const GenerateFlags& f, const CommonOptions& common) {
  check_utf8(f.prompt, "--prompt");
  const PublishedModel published = load_published_model(f.model);
  const PublishedTokenizer tokenizer = load_published_tokenizer(f.model, published);
  std::vector<int> prompt = tokenizer.encode(f.prompt);
  if (prompt.empty() && published.begin >= 0 && published.begin < published.model.config.vocabulary)
    prompt = {published.begin};
  if (prompt.empty()) throw UserError("--prompt: no tokens");
  const auto total = static_cast<std::int64_t>(prompt.size()) + f.length - 1;
  if (published.most_positions > 0 && total > published.most_positions)
    throw UserError("--length: " + std::to_string(prompt.size()) + " tokens of the prompt and " +
                    std::to_string(f.length) + " more are beyond the model's " +
                    std::to_string(published.most_positions) + " positions");
  catch_interrupts();
  Random random(common.seed);
  TokenText text = tokenizer.text();
  TokenChoice choice = f.choice;
  if (f.greedy) choice.temperature = 0;
  DecodingSession session(weights(published.model), f.precision);
  const DecodingSession::Use use(session);
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

Command add_generate(CLI::App& app) {
  auto f = std::make_shared<GenerateFlags>();
  app.add_option("--model", f->model, "directory of a published model: GPT-2, Llama or Qwen2")
      ->type_name("DIR")
      ->required();
  app.add_option("--prompt", f->prompt, "how the text begins");
  integer_flag(app, "--length", f->length, "tokens to write at most", 1);
  app.add_flag("--greedy", f->greedy, "always the most likely token: as --temperature 0");
  app.add_option("--temperature", f->choice.temperature,
                 "logits are divided by this; 0: always the most likely token")
      ->check(range_problem(0, 100))
      ->capture_default_str();
  integer_flag(app, "--top-k", f->choice.top_k, "sample from the k most likely tokens; 0: from all",
               0);
  app.add_option("--top-p", f->choice.top_p,
                 "sample from the fewest tokens whose probabilities reach this together")
      ->check(range_problem(0, 1))
      ->capture_default_str();
  add_precision_flag(app, f->precision);
  return [f](const CommonOptions& common) { return run_generate(*f, common); };
}

}  // namespace xf::since_2017
