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
  // The maximum that the model was made for, or the length of its attention window; 0: none.
  int max_positions = 0;
};

// Reads everything but the tokenizer. Throws UserError naming the file and the key for another
// family and for unsupported options, and for weights that do not fit.
PublishedModel load_published_model(const std::string& path);

// The tokenizer of a model; config.json, if there is one, says how to read vocab.json and
// merges.txt. Throws UserError naming the file and the key; the second form also for tokens that
// the model does not have.
PublishedTokenizer load_published_tokenizer(const std::string& path);
PublishedTokenizer load_published_tokenizer(const std::string& path, const PublishedModel& model);

}  // namespace xf
