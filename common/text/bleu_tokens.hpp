#pragma once

#include <array>
#include <string>
#include <vector>

#include "io/kinds.hpp"

namespace xf {

// How sacreBLEU splits text into words before it counts:
//   mteval_13a  "13a": mteval-v13a.pl, for languages with spaces
//   zh          "zh": every Chinese character is a word, the rest as in 13a
//   character   "char": every character is a word
//   none        "none": at white space; for text that is already tokenized
enum class BleuTokens { mteval_13a, zh, character, none };
constexpr std::array<const char*, 4> names_of(BleuTokens) { return {"13a", "zh", "char", "none"}; }

struct BleuOptions {
  BleuTokens tokens = BleuTokens::mteval_13a;
  bool lowercase = false;
};

// The words of one line.
std::vector<std::string> bleu_tokens(const std::string& line, const BleuOptions& options);

}  // namespace xf
