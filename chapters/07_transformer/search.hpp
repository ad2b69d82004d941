#pragma once

#include <functional>
#include <vector>

#include "07_transformer/transformer.hpp"

namespace xf {

// What the search weighed: `token` after the tokens `before`.
struct Candidate {
  int sentence;  // of the batch
  std::vector<int> before;
  int token;
  double own, all;  // log p of the token, and of all up to it
  enum class Fate { kept, complete, dropped } fate;
};

// When a sentence is done: as soon as `beam` translations are complete, or when besides no prefix
// would be better than the worst of them if it ended now, or after as many tokens as it may have.
enum class SearchEnd { full, no_better, never_better };

struct SearchOptions {
  int beam = 1;                 // 1: greedy
  double length_penalty = 1.0;  // hypotheses are compared by log p / length^length_penalty
  int extra_length = 50;        // at most 2 S + extra_length tokens for a source of S tokens
  int max_length = 0;           // at most so many instead, <eos> included, if it is not 0
  bool forced_end = false;      // the last of max_length tokens is <eos>, whatever its p
  SearchEnd end = SearchEnd::full;
  // Never the last token of one of these where the others stand before it.
  std::vector<std::vector<int>> never = {{pad_id}, {bos_id}, {unk_id}};
  bool renormalized = false;  // log p among the tokens that may be written
  std::function<void(const Candidate&)> on_candidate = {};  // sees each, step by step
};

struct Hypothesis {
  std::vector<int> tokens;     // without <bos> and <eos>
  double log_probability = 0;  // of the tokens and <eos>
  double score = 0;            // log_probability / length^length_penalty
};

// The best translation of each source sentence that the search finds; a sentence's result does not
// depend on what else is in the batch.
//   source: (B, S), each row ending in <eos>, then padding   returns B hypotheses
// Greedy search takes the most probable token at every step. Beam search keeps the `beam` most
// probable prefixes; a prefix that ends in <eos> is complete, and a sentence is done when
// `beam` complete ones are found (Sutskever et al. 2014; Wu et al. 2016 for the penalty). Both use
// the decoder's key/value cache, never choose what `never` says, and stop at the length limit where
// the model never ends; at max_length, all that are still in the beam count as complete.
std::vector<Hypothesis> translate(const Transformer& model, const Ids& source,
                                  const SearchOptions& options = {});

}  // namespace xf
