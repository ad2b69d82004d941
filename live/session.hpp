#pragma once

#include <memory>

#include "live/switches.hpp"
#include "nn/parameters.hpp"

namespace xf::live {

// A training that goes on in short pieces. Its numbers are those of the lesson that has it, with
// the same seed and one thread.
class Session {
 public:
  virtual ~Session() = default;

  virtual std::vector<NamedParameter> parameters() = 0;
  virtual int updates() const = 0;  // until it is finished
  // How large the model is and what it learns from: "layers", "d_model", "heads", "batch", "rate",
  // "warmup" and what else the task has.
  virtual Json about() const = 0;
  // One update; returns the loss before it.
  virtual double step() = 0;
  // The same loss, of the model as it is, on what it is not trained on: the same each time.
  virtual double held_out() = 0;
  // How well the model does what it was trained for, as it is.
  virtual Json score(Fields& request) = 0;
  // The model that sentences can be given to, or null.
  virtual const Subject* subject() const { return nullptr; }
};

// {"norm": "post", "warmup": 0, "layers": 8, "updates": 240}: lesson 3, section 7, a stack that
// learns to repeat its words. norm: post, pre, overwritten, no_residual, no_norm or neither.
//   score: of the words of 16 new sentences
std::unique_ptr<Session> norm_session(Fields options, std::uint64_t seed);

// {"model": "transformer_xl", "memory": true, "segment": 8, "updates": 600}: lesson 8, section 4, a
// capital letter of the segment before. model: transformer_xl or vanilla; without a memory, the
// Transformer-XL is trained on each segment by itself.
//   score: of {"count": 1024} new episodes, "memory": false for a trained model without it; also
//   "look": the attention of one episode, [[matrix per head] per layer], columns in [memory,
//   segment]
std::unique_ptr<Session> recall_session(Fields options, std::uint64_t seed);

// {"norm": "post", "mask": true, "scale": true, "warmup": 150, "lr": 0.003, "updates": 700,
// "d_model": 64, "d_ff": 128, "heads": 4, "layers": 2, "batch_tokens": 1024, "smoothing": 0.1}: the
// translator of lesson 7, section 5, with less inside, so that a page trains it in a minute. As in
// the lesson: warmup 200, lr 0.004, 1000 updates, d_ff 256 and batch_tokens 512. Without the causal
// mask it sees the word that it is to predict; without the scale no score is divided by sqrt(d_k).
// With "weights_base64", what the request `weights` has given, it begins with these.
//   score: of the sentences [first, first + count) of those that were held out, word for word;
//   the examples have the wrong ones first
std::unique_ptr<Session> translator_session(Fields options, std::uint64_t seed);

// {"heads": 2, "updates": 900}: attention by itself, in which each letter of a line is to say the
// two beside it. One head has one row of weights for both, and what it hands on is their mean, in
// which no letter is the left one; two heads have a row for each.
//   score: of the letters of new lines that have two neighbours, those for which both are right;
//   also "look": of one line, the weights and what each letter says
std::unique_ptr<Session> neighbours_session(Fields options, std::uint64_t seed);

}  // namespace xf::live
