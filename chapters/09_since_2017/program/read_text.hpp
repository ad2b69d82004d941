#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "09_since_2017/program/published_model.hpp"
#include "ops/shape/shape_ops.hpp"

namespace xf::since_2017 {

// A published model and a text that it reads.
struct ReadText {
  PublishedModel published;
  PublishedTokenizer tokenizer;
  std::vector<int> ids;

  // Throws UserError, beginning with `given` if the text is at fault: invalid UTF-8, or fewer than
  // two tokens.
  ReadText(const std::string& model, const std::string& text, const std::string& given);
  // Throws UserError for more tokens than the model has positions.
  void check_length(const std::string& given) const;

  std::string spelled(int id) const;  // the text of a token; special ones by name
  std::vector<std::string> tokens() const { return all_spelled(ids); }
  std::vector<std::string> all_spelled(const std::vector<int>& list) const;
};

// log p of each token but the first, given all before it.   states: (1, T, D) after the last norm
//   returns T - 1 numbers
std::vector<double> log_probabilities(const DecoderOnly& model, const Tensor& states,
                                      std::span<const int> ids);
std::vector<double> log_probabilities(const DecoderOnly& model, std::span<const int> ids);

// The logits of a few positions at a time, since a row of them is as wide as the vocabulary.
//   states: (1, T, D)   take(first, logits), with logits (1, up to 64, V) of positions from `first`
template <class Take>
void logits_in_parts(const DecoderOnly& model, const Tensor& states, const Take& take) {
  constexpr int most = 64;
  for (int first = 0; first < states.size(1); first += most)
    take(first, model.output(slice(states, 1, first, std::min(most, states.size(1) - first))));
}

}  // namespace xf::since_2017
