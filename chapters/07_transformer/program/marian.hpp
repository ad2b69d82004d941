#pragma once

#include <string>

#include "07_transformer/program/translator.hpp"

namespace xf {

// Published translation models, in the layout of Hugging Face's Marian (opus-mt):
//   config.json  model.safetensors  source.spm  target.spm  vocab.json  generation_config.json
// and target_vocab.json where each language has its own vocabulary.

// Does the directory's config.json say which type of model it describes? Ours never do.
bool is_published(const std::string& directory);

// The same model as chapter 7's Transformer, with the same results. The published one
// - numbers its tokens differently: </s> 0, <unk> 1, <pad> last; its <pad> is also our <bos>
//   (text/marian_vocabulary.hpp), so the tables have one more row, and our <pad> is never written;
// - has all sines before all cosines: every dimension as wide as the model is reordered;
// - ignores what config.json says of norms and of static positions: both are post-norm, and the
//   positions are sines, or the tables of the file, if it has any.
// Throws UserError naming the file, and the key or tensor in it, that is missing, wrong, or asks
// for what chapter 7 does not have.
Translator load_marian(const std::string& directory);

}  // namespace xf
