#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "07_transformer/search_rules.hpp"
#include "07_transformer/transformer.hpp"
#include "text/tokenizer.hpp"
#include "train/model_directory.hpp"

namespace xf {

// A longer sentence is refused: its attention weights grow with the square of the length.
inline constexpr std::size_t max_sentence_tokens = 1000;
inline constexpr int widest_beam = 1000;

// A model with its tokenizers: what a model directory holds (docs/en/model_directory.md).
//   config.json   model.safetensors   source.* and target.* (the vocabularies)
struct Translator {
  Tokenizer source_tokenizer, target_tokenizer;
  Transformer model;
  SearchOptions search{.beam = 5};  // the default search
  std::shared_ptr<const SearchRules> rules = std::make_shared<SearchRules>();
  std::size_t max_tokens = max_sentence_tokens;

  // The source sentence as the encoder reads it: its tokens and <eos>, and what the config adds.
  std::vector<int> encode_source(const std::string& line) const {
    return framed(source_tokenizer.encode(line));
  }
  std::vector<int> framed(std::vector<int> ids) const {
    const TransformerConfig& c = model.config;
    if (c.source_begins) ids.insert(ids.begin(), bos_id);
    ids.push_back(eos_id);
    ids.resize(std::max(ids.size(), std::size_t(c.source_length)), source_tokenizer.size() - 1);
    return ids;
  }
};

// A padding token of source sentences that is attended to: the last of the source vocabulary.
inline constexpr const char* filler = "<fill>";

// A fresh model, its vocabulary sizes taken from the tokenizers. Throws ConfigError when these
// differ although both sides share one table.
Translator make_translator(TransformerConfig config, Tokenizer source, Tokenizer target,
                           Random random);

// Throws UserError naming the file, and the key or tensor in it, that is missing or wrong. Loads
// published models (program/marian.hpp), too. A `dropout` replaces the rate that the model was
// trained with, for further training.
Translator load_translator(const std::string& directory, std::optional<double> dropout = {});
// The same without the parameters' values; `weights` is the file to load them from next.
Translator load_description(const std::string& directory, const std::string& weights,
                            std::optional<double> dropout = {});
// The same model from the contents of a directory's files, by name; reads no files.
Translator parse_translator(const std::map<std::string, std::string>& files);
// Writes everything but the parameters.
void save_description(const std::string& directory, const Translator& translator);

}  // namespace xf
