// Lesson 4, sections 7 and 8: dropout in training, at inference, and forgotten.

#include <cmath>

#include "04_feed_forward/feed_forward.hpp"
#include "04_feed_forward/lesson.hpp"
#include "speech/show.hpp"
#include "tensor/portable_math.hpp"

namespace xf::lesson_04 {

namespace {

struct Moments {
  double mean, variance, zeros;
};
Moments moments(const Tensor& x) {
  const double n = static_cast<double>(x.count());
  double sum = 0, squares = 0, zeros = 0;
  for (const float value : x.values()) {
    sum += value;
    squares += static_cast<double>(value) * value;
    zeros += value == 0.0f;
  }
  return {sum / n, squares / n - sum / n * (sum / n), zeros / n};
}

// The mean of `count` training passes through the layer, each with its own masks.
Tensor mean_of_passes(const FeedForward& layer, const Tensor& x, int count, std::uint64_t seed) {
  const Training training(seed);
  Tensor sum = layer(x);
  for (int i = 1; i < count; ++i) sum = sum + layer(x);
  return scale(sum, 1 / static_cast<float>(count));
}

}  // namespace

void dropout_modes(std::uint64_t seed) {
  section("What does dropout do while training, and what at inference?");
  equation(
      "training:   y_i = x_i / (1 - p) with probability 1 - p, else 0\n"
      "inference:  y_i = x_i");
  const Tensor row = Tensor::from({2, 6}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  {
    const Training training(mix(seed));
    show("dropout(x, 0.5) of x = 1 … 12, while training", dropout(row, 0.5f));
    show("the same call again: another mask", dropout(row, 0.5f));
  }
  show("the same call at inference", dropout(row, 0.5f));
  agree("inference, and x", dropout(row, 0.5f), row, 0);

  say("The factor 1 / (1 - p) keeps the mean, at the price of a variance p / (1 - p). "
      "Measured on 200,000 ones:");
  Table table({"p", "zeros", "mean", "variance", "p / (1 - p)"});
  const int n = 200000;
  const Tensor ones = Tensor::full({n}, 1.0f);
  for (const float p : {0.1f, 0.3f, 0.5f, 0.9f}) {
    const Training training(seed);
    const Moments m = moments(dropout(ones, p));
    const double expected = static_cast<double>(p) / (1.0 - p);
    table.row({fixed(p, 1), fixed(m.zeros), fixed(m.mean), fixed(m.variance), fixed(expected)});
    claim(std::abs(m.mean - 1) < 5 * std::sqrt(expected / n), "dropout keeps the mean");
    claim(std::abs(m.zeros - p) < 5 * std::sqrt(p * (1.0 - p) / n), "a share p becomes zero");
  }
  table.print();

  say("In the layer, dropout acts on the hidden values, before the linear map W_2, so the average "
      "of many training passes is the inference pass. With D = 16, Dff = 64, p = 0.1, x (4, 16):");
  Random random(seed, 6);
  const FeedForward layer(16, 64, Activation::relu, 0.1f, random);
  const Tensor x = normal({4, 16}, 1.0, random);
  Table passes({"training passes averaged", "max |difference| from inference"});
  double first = 0, last = 0;
  for (const int count : {1, 10, 100, 1000}) {
    last = max_difference(mean_of_passes(layer, x, count, seed), layer(x));
    if (count == 1) first = last;
    passes.row({std::to_string(count), fixed(last)});
  }
  passes.print();
  claim(last < first / 8, "the average of 1000 passes is much nearer than one pass");
  finding(
      "Dropout keeps the mean: averaged training passes approach the inference pass, as 1/sqrt(n)");
}

void dropout_mistakes(std::uint64_t seed) {
  section("What goes wrong when dropout is not switched off, or not scaled?");
  Random random(seed, 7);
  const FeedForward layer(8, 128, Activation::relu, 0.1f, random);
  const Tensor x = normal({1, 8}, 1.0, random);
  say("Mistake 1: the model is tested in training mode (often seen). Two runs on the same "
      "word, p = 0.1, disagree:");
  Tensor one, two;
  {
    const Training training(seed);
    one = layer(x), two = layer(x);
  }
  show("run 1, still in training mode", one);
  show("run 2, still in training mode", two);
  show("inference, and every further run", layer(x));
  const double disagreement = max_difference(one, two);
  claim(disagreement > 1e-3, "two passes in training mode differ");
  agree("two runs at inference", layer(x), layer(x), 0);
  say("Here training mode is an object with a scope (Training), so that it ends by itself; its "
      "seed fixes the masks:");
  const auto with_seed = [&](std::uint64_t s) {
    const Training training(s);
    return layer(x);
  };
  agree("two training passes with the same seed", with_seed(seed), with_seed(seed), 0);

  say("Mistake 2: the factor 1 / (1 - p) is forgotten. Inference then sees larger values than "
      "training did, and the error grows with every dropout passed. 100,000 ones through 6 "
      "dropouts in a row:");
  Table table({"p", "mean, scaled", "mean, factor forgotten", "(1 - p)^6", "inference"});
  for (const float p : {0.1f, 0.3f, 0.5f}) {
    Tensor scaled = Tensor::full({100000}, 1.0f), unscaled = scaled;
    const Training training(seed);
    for (int i = 0; i < 6; ++i) {
      scaled = dropout(scaled, p);
      unscaled = scale(dropout(unscaled, p), 1 - p);  // without the factor 1 / (1 - p)
    }
    const double kept = portable::pow(1.0 - p, 6);
    const double wrong = moments(unscaled).mean, right = moments(scaled).mean;
    table.row({fixed(p, 1), fixed(right), fixed(wrong), fixed(kept), "1.0000"});
    claim(std::abs(right - 1) < 0.2 && std::abs(wrong - kept) < 0.02, "(1 - p)^6 is kept");
  }
  table.print();
  finding("Left in training mode, two runs on one word differ by {}, at inference by 0",
          fixed(disagreement, 2));
}

}  // namespace xf::lesson_04
