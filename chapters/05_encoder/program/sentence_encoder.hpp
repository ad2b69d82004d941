#pragma once

#include <string>
#include <vector>

#include "01_embedding/positional_encoding.hpp"
#include "01_embedding/token_embedding.hpp"
#include "05_encoder/encoder.hpp"
#include "text/published_tokenizer.hpp"

namespace xf {

// BERT: chapter 5's encoder over a sum of three tables, with a norm before the first layer.
//   x = norm(words[ids] + positions + kinds[0])                     Devlin et al. 2018, figure 2
// `kinds` says which of two sentences a token belongs to; a single sentence counts as the first.
struct SentenceEncoder {
  TokenEmbedding words;
  LearnedPositions positions;
  TokenEmbedding kinds;
  LayerNorm input_norm;
  Encoder encoder;

  // ids: (B, S)   mask: (B, 1, S)   returns (B, S, D)
  Tensor operator()(const Ids& ids, const Mask& mask) const {
    const Tensor kind = kinds(Ids::full({ids.size(0), ids.size(1)}, 0));  // (B, S, D)
    return encoder(input_norm(positions(words(ids) + kind)), mask);
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("words", words);
    v("positions", positions);
    v("kinds", kinds);
    v("input_norm", input_norm);
    v("encoder", encoder);
  }
};

// A published encoder: a directory with config.json (`model_type` "bert"), the weights
// (io/published_weights.hpp) and tokenizer.json.
struct PublishedEncoder {
  SentenceEncoder model;
  PublishedTokenizer tokenizer;
  int padding;  // the id that pads a row

  // Throws UserError naming the file and the key for another kind of model, for unsupported options
  // of BERT, and for weights that do not fit.
  static PublishedEncoder load(const std::string& directory);
  // The ids of a text. Throws UserError, beginning with `given`, for invalid UTF-8 and for more
  // tokens than the model has positions.
  std::vector<int> tokens(const std::string& text, const std::string& given) const;
  // The states of a few sentences, each padded to the longest.   returns (B, S, D)
  Tensor states(const std::vector<std::vector<int>>& sentences) const;
};

// A range of rows of each sentence's states.
struct Stretch {
  int begin, end;
};

// The mean of the states in each sentence's range, normalised to length 1.
//   states: (B, S, D)   returns (B, D)
Tensor mean_directions(const Tensor& states, const std::vector<Stretch>& stretches);

}  // namespace xf
