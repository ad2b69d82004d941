#pragma once

#include <string_view>
#include <vector>

namespace xf {

// How a byte-level tokenizer splits a text before it merges bytes: no token crosses a split. There
// are two published regular expressions; variants of the second join more or fewer digits.
//   gpt2    's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//   llama   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}
//           | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
struct CutRule {
  enum class Kind { none, gpt2, llama } kind = Kind::gpt2;
  int digits = 3;  // for llama: at most this many in a piece
};

// The rule of a published expression; `none` for any other.
CutRule cut_rule(std::string_view expression);

// The pieces, as views into `text`; concatenated, they are `text`. The text must be UTF-8.
std::vector<std::string_view> cut(std::string_view text, const CutRule& rule);

}  // namespace xf
