#pragma once

#include <algorithm>
#include <vector>

#include "07_transformer/transformer.hpp"
#include "text/likeliest.hpp"

namespace xf {

// Greedy search: the most probable token at every step, until it is <eos>.
//   source: (1, S), ending in <eos>   returns at most `limit` tokens, without <bos> and <eos>
inline std::vector<int> greedy(const Transformer& model, const Ids& source, int limit) {
  DecoderCache cache = model.start(source);
  std::vector<int> tokens;
  for (int last = bos_id; static_cast<int>(tokens.size()) < limit; tokens.push_back(last)) {
    const Tensor logits = model.decode(Ids({1, 1}, {last}), cache);  // (1, 1, V)
    last = likeliest(logits, 1)[0][0].index;                         // never <pad>, <bos>, <unk>
    if (last == eos_id) break;
  }
  return tokens;
}

struct SearchOptions {
  int beam = 1;                 // prefixes kept at each step; 1: greedy
  double length_penalty = 1.0;  // alpha: hypotheses are compared by log p / length^alpha
  int extra_length = 50;        // at most 2 S + extra_length tokens for a source of S tokens
  int max_length = 0;           // if not 0: at most this many tokens, <eos> included
};

// The first tokens y_1 ... y_t of a translation of one of the sentences.
struct Prefix {
  int sentence = 0;
  std::vector<int> tokens = {};  // without <bos>
  double log_probability = 0;    // sum of log p(y_i | y_1 ... y_i-1, source)
  int parent = 0;                // the prefix of the previous step that this one extends
};

// Prefix `parent`, extended by one token.
struct Continuation {
  int parent, token;
  double log_probability;
  bool ends;  // whether it is a complete translation
};

// The `count` most probable continuations of the prefixes from number `first` on, best first.
//   next: for each of these prefixes its likeliest tokens, with log p
inline std::vector<Continuation> continuations(const std::vector<Prefix>& prefixes, int first,
                                               const std::vector<std::vector<Placed>>& next,
                                               int count) {
  std::vector<Continuation> all;
  for (int row = first; row < first + static_cast<int>(next.size()); ++row)
    for (const auto& [log_p, token] : next[static_cast<std::size_t>(row - first)])
      all.push_back({row, token, prefixes[static_cast<std::size_t>(row)].log_probability + log_p,
                     token == eos_id});
  std::sort(all.begin(), all.end(), [](const Continuation& a, const Continuation& b) {
    if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
    return a.parent != b.parent ? a.parent < b.parent : a.token < b.token;
  });
  if (static_cast<int>(all.size()) > count) all.resize(static_cast<std::size_t>(count));
  return all;
}

// One step of a sentence's beam. Of the continuations, best first, those that end are complete if
// they are among the best `beam`; `beam` others continue.             Sutskever et al. 2014, 3.2
struct BeamStep {
  std::vector<Continuation> alive = {}, complete = {};

  BeamStep(const std::vector<Continuation>& best_first, int beam) {
    int rank = 0;
    for (const Continuation& c : best_first) {
      if (c.ends && rank < beam) complete.push_back(c);
      if (!c.ends && static_cast<int>(alive.size()) < beam) alive.push_back(c);
      ++rank;
    }
  }
};

struct Hypothesis {
  std::vector<int> tokens;     // without <bos> and <eos>
  double log_probability = 0;  // of the tokens, and of <eos> unless the limit cut it off
  double score = 0;            // log_probability / length^alpha          Wu et al. 2016, 7
};

// The best translation that beam search finds for each source sentence; a sentence's result does
// not depend on the rest of the batch. A sentence is done when `beam` translations are complete, or
// at the length limit, where the best prefix becomes the translation if none is complete.
//   source: (B, S), each row ending in <eos>, then padding   returns B hypotheses
// Throws std::invalid_argument unless the beam is at least 1.
std::vector<Hypothesis> translate(const Transformer& model, const Ids& source,
                                  const SearchOptions& options = {});

}  // namespace xf
