#pragma once

#include <string>

#include "07_transformer/program/translator.hpp"

namespace xf {

// Translation models as they are published, in the layout of Hugging Face's Marian (opus-mt):
//   config.json  model.safetensors  source.spm  target.spm  vocab.json  generation_config.json
// and target_vocab.json where the languages have a vocabulary each.

// Does the directory's config.json say which type of model it describes? Ours never do.
bool is_published(const std::string& directory);

// The model as chapter 7 has it, which computes the same from the same text. The published one
// - numbers its tokens otherwise: </s> 0, <unk> 1, <pad> last; its <pad> is our <bos> as well
//   (text/marian_vocabulary.hpp), so the tables have a row more, and our <pad> is never written;
// - has all sines before all cosines: what is as wide as the model is put in our order;
// - ignores what config.json says of norms and of static positions: both are post-norm, and the
//   positions are sines, or the tables of the file, if it has any.
// Throws UserError naming the file, and the key or tensor in it, that is missing, wrong, or asks
// for what chapter 7 has not.
Translator load_marian(const std::string& directory);

}  // namespace xf
