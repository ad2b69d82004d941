#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "09_since_2017/program/commands.hpp"
#include "io/files.hpp"
#include "io/utf8.hpp"
#include "text/published_tokenizer.hpp"

namespace xf::since_2017 {

namespace {

struct TokensFlags {
  std::string model, text;
  bool zero = false;
};

// The ids of each line, a line each.
int run_tokens(const TokensFlags& f) {
  const PublishedTokenizer tokenizer =
      PublishedTokenizer::load(f.model, {.cut = {CutRule::Kind::gpt2}});
  const std::string text = read_file(f.text);
  check_utf8(text, f.text);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find(f.zero ? '\0' : '\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    std::cout << joined(tokenizer.encode(line), " ") << '\n';
  }
  return 0;
}

}  // namespace

Command add_tokens(CLI::App& app) {
  auto f = std::make_shared<TokensFlags>();
  app.add_option("--model", f->model,
                 "directory of a published model, of which the tokenizer is read")
      ->type_name("DIR")
      ->required();
  app.add_option("--text", f->text, "the lines to encode")->type_name("FILE")->required();
  app.add_flag("--zero", f->zero, "a zero byte ends a line, which may hold line breaks");
  return [f](const CommonOptions&) { return run_tokens(*f); };
}

}  // namespace xf::since_2017
