#pragma once

#include <string>

#include "07_transformer/program/translator.hpp"

namespace xf {

// Published translation models, in the layout of Hugging Face's Marian (opus-mt):
//   config.json  model.safetensors  source.spm  target.spm  vocab.json  generation_config.json
// and target_vocab.json where each language has its own vocabulary.

// Whether the directory's config.json names its model type. Ours never do.
bool is_published(const std::string& directory);

// The same model as chapter 7's Transformer, with the same results. The published one
// - numbers its tokens differently: </s> 0, <unk> 1, <pad> last; its <pad> is also our <bos>
//   (text/marian_vocabulary.hpp), so the tables have one more row, and our <pad> is never written;
// - has all sines before all cosines: every dimension of the model's width is reordered;
// - ignores what config.json says about norms and static positions: both are post-norm, and the
//   positions are sinusoids, or the file's tables, if it has any.
// Throws UserError naming the file, and the key or tensor in it, that is missing, wrong, or asks
// for a feature that chapter 7 lacks.
Translator load_marian(const std::string& directory);

}  // namespace xf
