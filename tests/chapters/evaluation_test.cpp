#include "07_transformer/program/evaluation.hpp"

#include <doctest/doctest.h>

#include "support/peak_memory.hpp"
#include "support/sanitized.hpp"

namespace xf::test {

namespace {

// Lines of words drawn from 500, long and short.
std::vector<std::string> random_lines(int count) {
  Random random(1);
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) {
    std::string& line = lines.emplace_back();
    const int words = 8 + static_cast<int>(8 * random.uniform());
    for (int w = 0; w < words; ++w)
      line += "w" + std::to_string(static_cast<int>(500 * random.uniform())) + " ";
  }
  return lines;
}

Translator random_translator(const std::vector<std::string>& lines) {
  const Tokenizer words = Tokenizer::train(TokenizerKind::word, lines, 0);
  return make_translator({.d_model = 128, .d_ff = 256, .encoder_layers = 1, .decoder_layers = 2},
                         words, words, Random(1));
}

}  // namespace

TEST_CASE("translate_lines: little memory at any beam, and the lines as they are alone") {
  const std::vector<std::string> lines = random_lines(150);
  const Translator translator = random_translator(lines);
  for (int beam : {5, 1}) {
    reset_peak_memory();
    const double before = peak_mebibytes();
    const auto translations = translate_lines(translator, lines, {.beam = beam});
    CHECK(peak_mebibytes() - before < 80 * slowdown);  // a sanitizer keeps memory of its own
    for (std::size_t i = 0; i < lines.size(); i += 50)
      CHECK(translations[i] == translate_lines(translator, {lines[i]}, {.beam = beam})[0]);
  }
}

}  // namespace xf::test
