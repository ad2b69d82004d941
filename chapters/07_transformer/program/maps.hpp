#pragma once

#include <string>
#include <vector>

#include "07_transformer/program/translator.hpp"
#include "07_transformer/search.hpp"
#include "plot/heatmap.hpp"
#include "program/program.hpp"
#include "text/batches.hpp"

namespace xf {

// A map of attention weights between these tokens, T x S numbers from 0 to 1.
Heatmap weights_map(const Phrase& title, const std::vector<std::string>& rows,
                    const std::vector<std::string>& columns, std::vector<float> weights);

// Draws the attention of one sentence pair, every layer and head, into the --out directory:
//   attention.html          the explorer of all of it (plot/explorer.hpp)
//   attention_encoder.svg   source tokens attend to source tokens
//   attention_decoder.svg   target tokens (beginning with <bos>) attend to themselves
//   attention_cross.svg     target tokens attend to source tokens
//   beam.svg                the candidates of the search, if it finds the target
// A decoder row is labelled with the token that is read there; the next row's is what it predicts.
// The explorer also has the checkpoints that were kept in `directory`, and the candidates of the
// search if it finds the target. For a long sentence it shows less, and the program says so, unless
// `everything` is set. Returns the paths.
std::vector<std::string> draw_attention(const Translator& translator, const std::string& directory,
                                        const std::string& source, const std::string& target,
                                        const SearchOptions& search, bool everything,
                                        const CommonOptions& options);

}  // namespace xf
