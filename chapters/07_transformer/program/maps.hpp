#pragma once

#include <string>
#include <vector>

#include "07_transformer/program/translator.hpp"
#include "io/program.hpp"

namespace xf {

// Draws the attention of one sentence pair, every layer and head, into the --out directory:
//   attention_encoder.svg   source tokens attend to source tokens
//   attention_decoder.svg   target tokens (beginning with <bos>) attend to themselves
//   attention_cross.svg     target tokens attend to source tokens
// A decoder row is labelled with the token that is read there; what it predicts is the next row's.
// Returns the paths.
std::vector<std::string> draw_attention(const Translator& translator, const std::string& source,
                                        const std::string& target, const CommonOptions& options);

}  // namespace xf
