#pragma once

#include <string>
#include <vector>

#include "09_since_2017/decoder_only.hpp"
#include "text/published_tokenizer.hpp"

namespace xf {

// A published language model: a directory with config.json, the weights
// (io/published_weights.hpp) and the tokenizer (text/published_tokenizer.hpp), of the families
// "gpt2", "llama", "qwen2", "qwen3" and "mistral"; or one file that holds all of it (io/gguf.hpp),
// of "gpt2", "llama", "qwen2" and "qwen3", or a directory with such a file.
struct PublishedModel {
  DecoderOnly model;
  std::vector<int> ends;  // tokens that end a text
  int begin = -1;         // the token that begins a text, or -1
  // Those that the model was made for, or the length of its attention window; or 0.
  int max_positions = 0;
};

// Reads all but the tokenizer. Throws UserError naming the file and the key for another family, for
// options of the family that are not supported, and for weights that do not fit.
PublishedModel load_published_model(const std::string& path);

// The tokenizer of a model; config.json, where there is one, says how to read vocab.json and
// merges.txt. Throws UserError naming the file and the key; the second form also where it has
// tokens that the model does not have.
PublishedTokenizer load_published_tokenizer(const std::string& path);
PublishedTokenizer load_published_tokenizer(const std::string& path, const PublishedModel& model);

}  // namespace xf
