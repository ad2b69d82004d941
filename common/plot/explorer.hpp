#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autograd/recorder.hpp"
#include "tensor/tensor.hpp"

namespace xf {

// What one layer of attention computed for one sentence. Without scores the page has no stages
// before the softmax, without values none after it.
struct AttentionLayer {
  Tensor weights;      // (1, H, T, S)
  Tensor scores = {};  // (1, H, T, S), Q K^T; what is not finite where a query must not look is
                       // left out
  Tensor values = {};  // (1, H, S, Dk)
};

// All layers that were recorded under such a path, first to last:
//   recorded_attention(recorder, "encoder.layers.*.self_attention")
// The recorder must want "scores", "weights" and "values".
std::vector<AttentionLayer> recorded_attention(const Recorder& recorder, const std::string& path);

enum class AttentionKind { encoder, decoder, cross, xl };

// One kind of attention of a model, T queries and S keys.
struct AttentionView {
  AttentionKind kind;
  std::vector<std::string> queries, keys;  // the tokens, T and S of them
  // By training: [checkpoint][layer].
  std::vector<std::vector<AttentionLayer>> checkpoints;
  std::string name = {};  // instead of the kind's
  int memory = 0;         // the number of keys before the segment
  // The first and the last key that each query may see; empty: all of them.
  std::vector<std::pair<int, int>> reach = {};
  std::vector<int> layer_numbers = {};  // of the layers that thin() kept; empty: all of them
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
  bool checkpoints = false, scores = false;  // those before the last; those before the softmax
  int layers = 0, heads = 0;                 // of each view, at most so many are kept

  bool anything() const { return checkpoints || scores || layers || heads; }
  // What the page at the path leaves out and how to keep it, in the language of the run.
  std::string sentence(const std::string& path) const;
};

struct Explorer {
  std::string title;
  std::vector<std::string> sentence;     // the source and its translation, or one text
  std::vector<std::string> checkpoints;  // what they are called, first to last
  std::vector<AttentionView> views;
  // One list of candidates for each step of decoding, and the tokens that were found in the end,
  // <eos> included; or nothing.
  std::vector<std::vector<SearchCandidate>> search = {};
  std::vector<std::string> result = {};
  LeftOut left_out = {};
};

// Thins a page of more than `most` weights and scores, of 2.7 bytes each: drops the checkpoints
// before the last, then the scores, then every other layer, then the last half of the heads, the
// latter two repeatedly if necessary. Sets page.left_out.
constexpr std::ptrdiff_t max_numbers = 1 << 22;  // 11 MB
void thin(Explorer& page, std::ptrdiff_t most = max_numbers);

// The page that shows all of it, a single file (docs/en/07_transformer.md). Weights and scores
// are kept as 16-bit integers: a weight to 1/131070, a score to 1/131070 of its layer's range.
// Throws std::invalid_argument when shapes, tokens and counts do not agree.
std::string explorer_html(const Explorer& explorer);

// Writes that page, thinned unless `everything` is asked for, and says on standard error what it
// leaves out.
void write_explorer(Explorer explorer, const std::string& path, bool everything);

}  // namespace xf
