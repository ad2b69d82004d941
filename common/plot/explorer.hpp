#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autograd/recorder.hpp"
#include "tensor/tensor.hpp"

namespace xf {

// What one layer of attention computed for one sentence. Without scores, the page omits the stages
// before the softmax; without values, the stages after it.
struct AttentionLayer {
  Tensor weights;      // (1, H, T, S)
  Tensor scores = {};  // (1, H, T, S), Q K^T; masked cells that are not finite
                       // are left out
  Tensor values = {};  // (1, H, S, Dk)
};

// All layers recorded under a path like this one, first to last:
//   recorded_attention(recorder, "encoder.layers.*.self_attention")
// The recorder must have been asked for "scores", "weights" and "values".
std::vector<AttentionLayer> recorded_attention(const Recorder& recorder, const std::string& path);

enum class AttentionKind { encoder, decoder, cross, xl };

// One kind of attention of a model, T queries and S keys.
struct AttentionView {
  AttentionKind kind;
  std::vector<std::string> queries, keys;  // the tokens, T and S of them
  // In order of training: [checkpoint][layer].
  std::vector<std::vector<AttentionLayer>> checkpoints;
  std::string name = {};  // replaces the name of the kind
  int memory = 0;         // the number of keys before the segment
  // The first and the last key that each query may see; empty: all of them.
  std::vector<std::pair<int, int>> reach = {};
  std::vector<int> layer_numbers = {};  // those that thin() kept; empty: all of them
  // The likeliest next tokens after each query, with their probabilities; empty: none are shown.
  std::vector<std::vector<std::pair<std::string, double>>> next = {};
};
// Query i sees the keys 0 ... memory + i.
std::vector<std::pair<int, int>> causal_reach(int queries, int memory = 0);

// A candidate of a beam search.
struct SearchCandidate {
  std::vector<std::string> before;  // the tokens so far
  std::string token;
  double own, all;  // log p of the token, and of everything up to it
  enum class Fate { kept, complete, dropped } fate;
};

// What a page leaves out because its text is long; nothing where all are 0.
struct LeftOut {
  bool checkpoints = false, scores = false;  // all but the last; those before the softmax
  int layers = 0, heads = 0;                 // how many each view keeps at most

  bool anything() const { return checkpoints || scores || layers || heads; }
  // What the page at `path` leaves out and how to keep it, in the language of the run.
  std::string sentence(const std::string& path) const;
};

struct Explorer {
  std::string title;
  std::vector<std::string> sentence;     // source and translation, or a single text
  std::vector<std::string> checkpoints;  // their names, first to last
  std::vector<AttentionView> views;
  // The candidates of each decoding step, and the tokens of the final result, including <eos>.
  // Optional.
  std::vector<std::vector<SearchCandidate>> search = {};
  std::vector<std::string> result = {};
  LeftOut left_out = {};
};

// Thins a page of more than `most` weights and scores, at 2.7 bytes each: drops all checkpoints but
// the last, then the scores, then every other layer, then the second half of the heads; the last
// two steps are repeated if necessary. Sets page.left_out.
constexpr std::ptrdiff_t max_numbers = 1 << 22;  // 11 MB
void thin(Explorer& page, std::ptrdiff_t most = max_numbers);

// A page that shows everything in a single file (docs/en/07_transformer.md). Weights and scores
// are stored as 16-bit integers: a weight to 1/131070, a score to 1/131070 of its layer's range.
// Throws std::invalid_argument when shapes, tokens and counts do not agree.
std::string explorer_html(const Explorer& explorer);

// Writes that page, thinned unless `everything` is set, and reports on standard error what was left
// out.
void write_explorer(Explorer explorer, const std::string& path, bool everything);

}  // namespace xf
