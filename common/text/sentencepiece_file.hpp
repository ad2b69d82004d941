#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xf {

// The type of a SentencePiece model: unigram = 1, bpe = 2, word = 3, char = 4; nothing for bytes
// that are not a model. (SentencePiece itself accepts a file truncated between two fields.) Checks
// the model's table of characters, because SentencePiece follows its offsets blindly: throws
// UserError that begins with `name` for an offset beyond the table.
std::optional<std::uint64_t> sentencepiece_type(std::string_view bytes, const std::string& name);
constexpr std::uint64_t sentencepiece_bpe = 2;

}  // namespace xf
