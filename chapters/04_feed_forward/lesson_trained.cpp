// Lesson 4, section 9: the layer without its activation, and at other widths, trained.

#include "04_feed_forward/feed_forward.hpp"
#include "04_feed_forward/lesson.hpp"
#include "nn/parameters.hpp"
#include "ops/reduce/reduce.hpp"
#include "speech/show.hpp"
#include "train/adam.hpp"

namespace xf::lesson_04 {

namespace {

constexpr int d_model = 8, batch = 256, updates = 600;

// A word vector and the desired answer: the product of each feature and the next one.
struct Task {
  Tensor x, wanted;  // (N, D)

  Task(int count, Random& random) : x(normal({count, d_model}, 1.0, random)) {
    const std::vector<float> in = x.values();
    std::vector<float> out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t row = i / d_model, next = (i + 1) % d_model;
      out[i] = in[i] * in[row * d_model + next];
    }
    x = detach(x);
    wanted = Tensor::from(x.shape(), out);
  }
};

// mean (y - wanted)^2
Tensor squared_error(const Tensor& y, const Tensor& wanted) {
  const Tensor off = y + scale(wanted, -1);
  return scale(sum(off * off), 1 / static_cast<float>(off.count()));
}

// Without an activation: only the two linear maps.
struct LinearPair {
  FeedForward layer;

  Tensor operator()(const Tensor& x) const { return layer.w_2(layer.w_1(x)); }
  template <class Visitor>
  void visit(Visitor&& v) {
    v("layer", layer);
  }
};

// The error on new words after training, relative to the error of always answering 0.
template <class Model>
double trained_error(Model model, std::uint64_t seed) {
  Random random(seed, 11);
  Adam adam(parameters(model), {.beta2 = 0.999, .epsilon = 1e-8});
  for (int update = 1; update <= updates; ++update) {
    const Task task(batch, random);
    Tape tape;
    Gradients gradients = tape.backward(squared_error(model(task.x), task.wanted));
    adam.step(gradients, 0.01 * (1 - double(update) / (updates + 1)));
  }
  const Task held_out(4096, random);
  const Tensor zero = Tensor::zeros(held_out.wanted.shape());
  return squared_error(model(held_out.x), held_out.wanted).item() /
         squared_error(zero, held_out.wanted).item();
}

FeedForward fresh(int width, Activation activation, std::uint64_t seed) {
  Random random(seed, 10);
  return FeedForward(d_model, width, activation, 0, random);
}

}  // namespace

void trained_widths(std::uint64_t seed) {
  section("What do the activation and the width buy, in training?");
  say("The layer learns to multiply each of a word's 8 features by the next, which a sum of "
      "features cannot express. It is trained for {} updates of {} random words. The table gives "
      "the mean squared error on 4096 new ones, divided by that of always answering 0:",
      updates, batch);
  Table table({"Dff", "no activation", "relu", "gelu", "silu"});
  double linear = 0, narrow = 0, wide = 1;
  bool falls = true;  // falls from each width to the next
  for (const int width : {4, 16, 64, 256}) {
    linear = trained_error(LinearPair{fresh(width, Activation::relu, seed)}, seed);
    const double with_relu = trained_error(fresh(width, Activation::relu, seed), seed);
    table.row({std::to_string(width), fixed(linear, 3), fixed(with_relu, 3),
               fixed(trained_error(fresh(width, Activation::gelu, seed), seed), 3),
               fixed(trained_error(fresh(width, Activation::silu, seed), seed), 3)});
    if (width == 4) narrow = with_relu;
    falls = falls && with_relu < wide;
    wide = with_relu;
    claim(linear > 0.95, "without an activation nothing is learned, at any width");
  }
  table.print();
  claim(falls && wide < 0.5 * narrow, "the wider the hidden layer, the better");
  say("Without the activation, the two maps are one linear map, whatever the width. With it, each "
      "hidden unit adds a bend, and products are pieced together from bends; the more bends, the "
      "closer the fit.");
  finding(
      "Error on products: {} at any width without activation, relu {} with 4 hidden units, {} with "
      "256",
      fixed(linear, 2), fixed(narrow, 2), fixed(wide, 2));
}

}  // namespace xf::lesson_04
