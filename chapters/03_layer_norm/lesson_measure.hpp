#pragma once

#include <algorithm>

#include "03_layer_norm/lesson_stack.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "speech/show.hpp"
#include "train/adam.hpp"

namespace xf::lesson_03 {

// Helpers for the lesson's sections on depth: gradient norms per layer, and training deep stacks on
// a copy task.

inline constexpr int vocabulary = 16, d_model = 32, batch = 4, length = 16;

// One of the kinds of stack that a section compares.
struct Kind {
  Block block;
  const char* name;
};

inline Ids random_ids(Random& random) {
  Ids ids = Ids::full({batch, length}, 0);
  std::generate_n(ids.begin(), ids.count(), [&] { return random.below(vocabulary); });
  return ids;
}

// The norm of d loss / d W_1 in every layer of a fresh stack, averaged over `draws` stacks; the
// loss is the cross-entropy of random words.
inline std::vector<double> gradient_norms(Block block, int layers, int draws, std::uint64_t seed) {
  std::vector<double> norms(static_cast<std::size_t>(layers), 0);
  for (int draw = 0; draw < draws; ++draw) {
    Random random(seed, static_cast<std::uint64_t>(draw));
    const BlockModel stack(vocabulary, d_model, layers, block, random);
    Tape tape;
    const Ids ids = random_ids(random), expected = random_ids(random);
    const Gradients gradients = tape.backward(cross_entropy_in_place(stack(ids), expected));
    for (std::size_t i = 0; i < norms.size(); ++i)
      norms[i] += norm_of(gradients.of(stack.layers[i].w_1.weight)) / draws;
  }
  return norms;
}

// A stack of layers on the task "repeat the words": Adam with a learning rate that rises linearly
// to `rate` over `warm_up` updates.
class CopyTraining {
 public:
  CopyTraining(Block block, int warm_up, std::uint64_t seed, int layers = 8, double rate = 0.003)
      : random_(seed),
        stack_(vocabulary, d_model, layers, block, random_),
        adam_(parameters(stack_)),
        warm_up_(warm_up),
        rate_(rate) {}

  // One update; returns the loss before it.
  double step() {
    const Ids ids = random_ids(random_);
    Tape tape;
    const Tensor loss = cross_entropy_in_place(stack_(ids), ids);
    Gradients gradients = tape.backward(loss);
    const double share = warm_up_ > 0 ? std::min(1.0, double(adam_.steps() + 1) / warm_up_) : 1.0;
    adam_.step(gradients, rate_ * share);
    return loss.item();
  }

  BlockModel& stack() { return stack_; }
  const BlockModel& stack() const { return stack_; }

 private:
  Random random_;
  BlockModel stack_;
  Adam adam_;
  int warm_up_;
  double rate_;
};

// Trains a stack of 8 layers on the copy task.   returns the loss before each update
inline std::vector<double> train(Block block, int warm_up, int updates, std::uint64_t seed,
                                 double rate = 0.003) {
  CopyTraining training(block, warm_up, seed, 8, rate);
  std::vector<double> losses;
  for (int update = 1; update <= updates; ++update) losses.push_back(training.step());
  return losses;
}

// The settings of the sections on training. At this rate post-norm nearly always needs its warm-up;
// at 0.003 one stack in six trains without it.
inline constexpr int updates = 120, warm_up_updates = 80;
inline constexpr double full_rate = 0.004;

inline double mean_of(const std::vector<double>& values, int first, int last) {
  double total = 0;
  for (int i = first; i < last; ++i) total += values[static_cast<std::size_t>(i)];
  return total / (last - first);
}

}  // namespace xf::lesson_03
