#include <CLI/App.hpp>
#include <iostream>
#include <memory>

#include "09_since_2017/program/commands.hpp"
#include "09_since_2017/program/published_model.hpp"
#include "io/files.hpp"
#include "io/utf8.hpp"

namespace xf::since_2017 {

namespace {

struct TokensFlags {
  std::string model, text;
  bool zero = false;
};

// Calls take(line) for each line, which ends with `end` or with the text. What has been printed
// appears before it waits for more input.
template <class Take>
void for_each_line(const std::string& path, char end, const Take& take) {
  InputFile file(path);
  std::string rest;       // the text from the start of the current line
  std::size_t known = 0;  // this much of it has no line break
  while (true) {
    std::size_t first = 0;
    for (std::size_t at; (at = rest.find(end, known)) != rest.npos; first = known = at + 1)
      take(std::string_view(rest).substr(first, at - first));
    rest.erase(0, first);
    known = rest.size();
    if (!file.waiting()) std::cout.flush();
    constexpr std::size_t chunk = 1 << 16;
    rest.resize(known + chunk);
    const std::size_t got = file.read(rest.data() + known, chunk);
    rest.resize(known + got);
    if (got == 0) break;
  }
  if (!rest.empty()) take(rest);
}

// Prints the ids of each line, one line each; a blank one for invalid UTF-8.
int run_tokens(const TokensFlags& f) {
  const PublishedTokenizer tokenizer = load_published_tokenizer(f.model);
  std::size_t number = 0, refused = 0;
  const auto answer = [&](std::string_view line) {
    ++number;
    std::size_t bad = 0;
    if (valid_utf8(line, &bad)) {
      std::cout << joined(tokenizer.encode(line), " ") << '\n';
      return;
    }
    ++refused;
    say_error(words("{}:{}: {}", f.text, number, words("invalid UTF-8 at byte {}", bad + 1)));
    std::cout << '\n';
  };
  for_each_line(f.text, f.zero ? '\0' : '\n', answer);
  return refused > 0 ? 2 : 0;
}

}  // namespace

Command add_tokens(CLI::App& app) {
  auto f = std::make_shared<TokensFlags>();
  add_published_model_flag(app, f->model);
  app.add_option("--text", f->text, "the lines to encode")->type_name("FILE")->required();
  app.add_flag("--zero", f->zero, "a zero byte ends a line, which may hold line breaks");
  return [f](const CommonOptions&) { return run_tokens(*f); };
}

}  // namespace xf::since_2017
