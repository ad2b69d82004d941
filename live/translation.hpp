#pragma once

#include "07_transformer/program/translator.hpp"
#include "live/fields.hpp"
#include "live/writing.hpp"

namespace xf::live {

// The longest source sentence, in tokens with <eos>.
inline constexpr int max_tokens = 128;

// The tokens with these ids.
std::vector<std::string> named(const Tokenizer& tokenizer, const std::vector<int>& ids);

// {"config": "<config.json>", "weights_base64": "...", "vocabulary": {"source.vocab.txt": "..."}}:
// loads the files of a model directory (docs/en/model_directory.md).
Translator load(Fields& request);
// {"kind": "translator", "layers", "heads", "d_model", ...}
Json description(const Translator& translator);

// A sentence on its way through the model.
struct Passed {
  std::string text;
  std::vector<int> ids;
  SwitchedModel model;
  Ids source;  // (1, S)
  WritingOptions how;
  Written written;
  std::vector<int> read;  // <bos> and what was written, without the last token
};
// {"text": "...", "switches": {...}}, and how to decode (live/writing.hpp)
Passed pass(const Subject& subject, Fields& request);

// {"text": "...", "switches": {...}, "beam": 1, "choice": {...}, "seed": 7}. Finds the same
// translation as `07_transformer translate`; if that never ends, its beginning, and "cut_from" is
// its length, 0 otherwise. "causal": whether the decoder has its mask. The maps come from one pass
// over the source and the translation, as in `attend`; so do "scores", Q K^T before the division,
// and "queries", "keys" and "values", a row per token.
Json translation(const Subject& subject, Fields& request);

// The words that may occur in a sentence: {"source": [...], "target": [...]}.
// With {"after": "they watched"}: {"next": [...]}, the words that may come next there.
Json vocabulary(const Translator& translator, Fields& request);

}  // namespace xf::live
