#pragma once

#include "07_transformer/program/translator.hpp"
#include "live/fields.hpp"

namespace xf::live {

// The longest source sentence, in tokens with <eos>.
inline constexpr int most_tokens = 128;

// {"config": "<config.json>", "weights_base64": "...", "vocabulary": {"source.vocab.txt": "..."}}:
// the files of a model directory (docs/en/model_directory.md).
Translator load(Fields& request);
// {"kind": "translator", "layers", "heads", "d_model", ...}
Json description(const Translator& translator);

// A sentence as it goes through the model.
struct Passed {
  struct Written {
    std::vector<int> tokens;  // with <eos> where the search ended
    int cut_from = 0;         // how many there were, where it went on to its limit
  };
  std::string text;
  std::vector<int> ids;
  Transformer model;  // with the switches
  Ids source;         // (1, S)
  Written written;
  std::vector<int> read;  // <bos> and what was written, but for the last
};
// {"text": "...", "beam": 1, "switches": {...}}
Passed pass(const Translator& translator, Fields& request);

// {"text": "...", "beam": 1, "switches": {...}}. What is found is what `07_transformer translate`
// finds; where that never ends, its beginning, and "cut_from" is its length, 0 otherwise. The maps
// are those of one pass over the source and what was found, as in `attend`; so are "scores", Q K^T
// before the division, and "values", a row for each key.
Json translation(const Translator& translator, Fields& request);

// The words that a sentence may be made of, and some sentences of the little language:
//   {"source": [...], "target": [...], "sentences": [...]}
// With {"after": "they watched"}, instead: {"next": [...]}, what may come next there.
Json vocabulary(const Translator& translator, Fields& request);

}  // namespace xf::live
