#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

using Text = std::vector<std::int32_t>;  // token after token

// The mean loss of rows of tokens, (B, T + 1), as milestone A-1 has it; whose model it is, nobody
// here needs to know. On a tape, it is recorded.
using Loss = std::function<Tensor(const Ids& tokens)>;

// Rows of `length` tokens that follow each other in the text. Each begins anywhere where it has
// room, every place equally likely: one random.below(...) a row, row after row.
//   returns (B, length)
Ids draw_windows(const Text& text, int batch, int length, Random& random);

struct AdamW {
  std::vector<NamedParameter> parameters;  // each {std::string name; Tensor* tensor;}
  double beta1 = 0.9, beta2 = 0.95, eps = 1e-8;
  double decay = 0.1;                    // of matrices; vectors (biases, gammas) do not decay
  double clip = 1;                       // largest norm of all gradients together
  std::vector<std::vector<float>> m, v;  // of each parameter; empty before the first update
  int steps = 0;                         // updates made
};

// One update from one batch; with p a number of a parameter, g of its clipped gradient, at step t:
//   m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2
//   p = (1 - rate decay) p - rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
// A parameter that the loss does not depend on stays as it is. Returns the loss before the update.
//                                                              Loshchilov and Hutter 2019
float update(AdamW& adam, const Loss& loss, const Ids& tokens, double rate);

// The mean loss of all tokens of the text but the first, each predicted once, from the tokens of
// its window before it. A window is one row that predicts `segment` tokens, the last one the rest;
// it begins with the last token that the window before it predicted.
double evaluate(const Loss& loss, const Text& text, int segment);

}  // namespace xf::exercise
