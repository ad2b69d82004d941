#pragma once

#include <string>
#include <utility>

#include "09_since_2017/program/read_text.hpp"
#include "09_since_2017/token_choice.hpp"
#include "program/program.hpp"

namespace xf::since_2017 {

// The subcommands of 09_since_2017. (program/program.hpp)
Command add_generate(CLI::App& app);
Command add_tokens(CLI::App& app);
Command add_chat(CLI::App& app);
Command add_evaluate(CLI::App& app);
Command add_score(CLI::App& app);
Command add_attend(CLI::App& app);
Command add_heads(CLI::App& app);
Command add_lens(CLI::App& app);
Command add_ablation(CLI::App& app);  // experiments/command_ablation.cpp

// The model and text flags of heads and lens, which examine the first tokens of the text.
struct TextFlags {
  static constexpr int max_tokens = 256;
  std::string model, text, file;

  void add(CLI::App& app);
  std::string given() const { return file.empty() ? "--text" : file; }
  // The first `max_tokens` tokens of the text, and its total number of tokens.
  std::pair<ReadText, int> read() const;
};

// --model, of all of them; --temperature, --top-k and --top-p.
void add_published_model_flag(CLI::App& app, std::string& path);
void add_choice_flags(CLI::App& app, TokenChoice& choice);

}  // namespace xf::since_2017
