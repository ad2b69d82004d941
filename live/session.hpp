#pragma once

#include <memory>

#include "live/switches.hpp"
#include "nn/parameters.hpp"

namespace xf::live {

// A training that advances in short pieces. With the same seed and one thread, it computes the same
// numbers as its lesson.
class Session {
 public:
  virtual ~Session() = default;

  virtual std::vector<NamedParameter> parameters() = 0;
  virtual int updates() const = 0;  // total number
  // The size of the model and its data: "layers", "d_model", "heads", "batch", "rate", "warmup" and
  // more, depending on the task.
  virtual Json about() const = 0;
  // Makes one update; returns the loss before it.
  virtual double step() = 0;
  // The same loss for the current model, on a fixed set of held-out data.
  virtual double held_out() = 0;
  // How well the current model solves its task.
  virtual Json score(Fields& request) = 0;
  // The model that can translate sentences, or null.
  virtual const Subject* subject() const { return nullptr; }
};

// {"norm": "post", "warmup": 0, "layers": 8, "updates": 240}: lesson 3, section 7, a stack that
// learns to copy its input. norm: post, pre, overwritten, no_residual, no_norm or neither.
//   score: on the words of 16 new sentences
std::unique_ptr<Session> norm_session(Fields options, std::uint64_t seed);

// {"model": "transformer_xl", "memory": true, "segment": 8, "updates": 600}: lesson 8, section 4,
// recall of a capital letter from the previous segment. model: transformer_xl or vanilla; without
// memory, the Transformer-XL is trained on each segment separately.
//   score: on {"count": 1024} new episodes; "memory": false tests a trained model without it; also
//   "look": the attention of one episode, [[matrix per head] per layer], columns in [memory,
//   segment]
std::unique_ptr<Session> recall_session(Fields options, std::uint64_t seed);

// {"norm": "post", "mask": true, "scale": true, "warmup": 150, "lr": 0.003, "updates": 700,
// "d_model": 64, "d_ff": 128, "heads": 4, "layers": 2, "batch_tokens": 1024, "smoothing": 0.1}: the
// translator of lesson 7, section 5, but smaller, so that a page trains it in a minute. The
// lesson has warmup 200, lr 0.004, 1000 updates, d_ff 256 and batch_tokens 512. Without the causal
// mask it sees the word that it is to predict; without the scale no score is divided by sqrt(d_k).
// With "weights_base64", the answer to the request `weights`, training starts from these weights.
//   score: on the held-out sentences [first, first + count), right if equal word for word;
//   the examples have the wrong ones first
std::unique_ptr<Session> translator_session(Fields options, std::uint64_t seed);

// {"heads": 2, "updates": 900}: attention alone, which has to predict the two neighbours of each
// letter of a line. A single head has one row of weights for both, and its output is their mean,
// which does not tell left from right; two heads have a row for each.
//   score: on new lines, the letters with two neighbours for which both are right;
//   also "look": for one line, the weights and the predictions for each letter
std::unique_ptr<Session> neighbours_session(Fields options, std::uint64_t seed);

}  // namespace xf::live
