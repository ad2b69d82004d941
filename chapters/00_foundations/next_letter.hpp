#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "nn/init.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/embedding/embedding.hpp"

namespace xf {

// The smallest language model, and the training that every later chapter repeats on a larger scale.

// Row c of the table holds the logits of every letter that may follow the context c. In a bigram
// model, the context is just the last letter.
struct NextLetter {
  Tensor logits;  // (C, V) for C contexts; it starts at 0: every letter is equally likely

  NextLetter(int contexts, int vocabulary) : logits(constant({contexts, vocabulary}, 0.0f)) {}

  // contexts: (1, N)   returns (1, N, V)
  Tensor operator()(const Ids& contexts) const { return embedding(contexts, logits); }
};

// The training examples: next[i] followed contexts[i].
struct Examples {
  std::vector<std::int32_t> contexts, next;
};

// L = -mean over the examples of log softmax(logits[context])[next].
// _in_place: nobody reads the model's output again, so its gradient may take its memory.
inline Tensor loss_of(const NextLetter& model, const Examples& examples) {
  const int count = static_cast<int>(examples.next.size());
  return cross_entropy_in_place(model(Ids({1, count}, examples.contexts)),
                                Ids({count}, examples.next));
}

// Gradient descent: w <- w - rate dL/dw.
inline void descend(Tensor& w, const Tensor& dw, float rate) {
  std::vector<float> moved = w.values();
  const std::vector<float> slope = dw.values();
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] -= rate * slope[i];
  copy_into(w, moved);
}

// One update on these examples: forward, backward, a step downhill.   returns the loss before it
inline double update(NextLetter& model, const Examples& examples, float rate) {
  Tape tape;
  const Tensor loss = loss_of(model, examples);
  const Gradients gradients = tape.backward(loss);
  descend(model.logits, gradients.of(model.logits), rate);
  return loss.item();
}

// One epoch: every example once, in a new order, in batches of `batch`.
inline void train_epoch(NextLetter& model, const Examples& all, int batch, float rate,
                        Random& random) {
  std::vector<std::size_t> order(all.next.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(order.begin(), order.end());
  for (std::size_t first = 0; first < order.size(); first += static_cast<std::size_t>(batch)) {
    Examples some;
    for (std::size_t i = first; i < std::min(order.size(), first + std::size_t(batch)); ++i) {
      some.contexts.push_back(all.contexts[order[i]]);
      some.next.push_back(all.next[order[i]]);
    }
    update(model, some, rate);
  }
}

}  // namespace xf
