// Lesson 4, sections 3 and 4: why there is an activation, and units that never fire.

#include <cmath>

#include "03_layer_norm/layer_norm.hpp"
#include "04_feed_forward/equations.hpp"
#include "04_feed_forward/lesson.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/reduce/reduce.hpp"
#include "plot/lines.hpp"
#include "speech/show.hpp"

namespace xf::lesson_04 {

namespace {

struct Named {
  Phrase name;
  Activation activation;
};
const std::vector<Named> activations = {
    {"relu", Activation::relu}, {"gelu", Activation::gelu}, {"silu", Activation::silu}};

// The share of the numbers whose magnitude is at most `bound`.
double share_within(const Tensor& x, float bound) {
  const Values values = x.values();
  const auto within = std::count_if(values.begin(), values.end(),
                                    [bound](float value) { return std::abs(value) <= bound; });
  return static_cast<double>(within) / static_cast<double>(values.size());
}

void draw(const CommonOptions& options) {
  std::vector<float> at;
  for (int i = 0; i < 161; ++i) at.push_back(-4.0f + 0.05f * static_cast<float>(i));
  const Tensor x = Tensor::from({161}, at);
  LineChart chart{.title = "Below zero relu gives nothing, gelu and silu a little",
                  .x_title = "x",
                  .y_title = "activation(x)"};
  for (const auto& [name, activation] : activations) {
    const Values y = activate(x, activation).values();
    chart.series.push_back({name, {at.begin(), at.end()}, {y.begin(), y.end()}});
  }
  write_picture(options, "activations.svg", line_chart_svg(chart));
}

}  // namespace

void three_activations(const CommonOptions& options) {
  section("Why the activation between the two matrices?");
  Random random(options.seed, 3);
  const Tensor x = normal({5, 8}, 1.0, random);
  const FeedForward layer(8, 16, Activation::relu, 0, random);
  say("Without it the two linear maps are one, and the wide hidden layer buys nothing:");
  equation("(x W_1^T) W_2^T = x (W_2 W_1)^T");
  const Tensor two = layer.w_2(layer.w_1(x));                        // (5, 8)
  const Tensor joined = matmul(layer.w_2.weight, layer.w_1.weight);  // (8, 8)
  agree("two maps, and their product (8, 8)", two, linear(x, joined, {}));
  const double bent = max_difference(layer(x), two);
  claim(bent > 1e-2, "the relu makes a difference");
  say("With the relu between them the result differs by up to {}. Three activations are in use:",
      fixed(bent, 2));
  equation("relu(x) = max(0, x)      gelu(x) = x Phi(x)      silu(x) = x / (1 + exp(-x))");
  const Tensor points = Tensor::from({7}, {-3, -1, -0.5f, 0, 0.5f, 1, 3});
  Tensor table = Tensor::empty({3, 7});
  for (int i = 0; i < 3; ++i)
    copy_into(table, activate(points, activations[i].activation).values(), 7 * i);
  show("activation(x)", table,
       {.rows = {"relu", "gelu", "silu"}, .columns = {"-3", "-1", "-0.5", "0", "0.5", "1", "3"}});
  const equations::Vector v = to_xt<1>(points);
  const equations::Vector by_erf = 0.5f * v * (1.0f + xt::erf(v / std::sqrt(2.0f)));
  const equations::Vector by_exp = v / (1.0f + xt::exp(-v));
  agree("gelu, and 0.5f * x * (1.0f + xt::erf(x / std::sqrt(2.0f)))", gelu(points),
        from_xt(by_erf));
  agree("silu, and x / (1.0f + xt::exp(-x))", silu(points), from_xt(by_exp));
  draw(options);
  finding("Without an activation, two matrices amount to one, however wide the hidden layer");
}

void dead_units(std::uint64_t seed) {
  section("How many hidden units are off, and can a unit die?");
  say("We take 512 random words with D = 64, normalised as in chapter 3, Dff = 256, and fresh "
      "weights. First, what share of the hidden values is exactly 0? Then the biases of 64 units "
      "are pushed to -5, as an update that was too large might do. Does a gradient still reach "
      "those units?");
  Table table({"activation", "exactly 0", "|h| <= 0.1", "pushed, no gradient",
               "pushed, largest |gradient|"});
  int dead_relu = 0, dead_others = 0;
  double off_relu = 0, off_others = 0;
  for (const auto& [name, activation] : activations) {
    Random random(seed, 4);
    FeedForward layer(64, 256, activation, 0, random);
    const Tensor x = LayerNorm(64)(normal({512, 64}, 1.0, random));
    const Tensor weights = normal({512, 64}, 1.0, random);
    const Tensor hidden = activate(layer.w_1(x), activation);  // (512, 256)
    copy_into(layer.w_1.bias, std::vector<float>(64, -5.0f));

    Tape tape;
    Gradients gradients = tape.backward(weighted_sum(layer(x), weights));
    const Values dw = gradients.of(layer.w_1.weight).values();  // (256, 64)
    int dead = 0;
    float largest = 0;
    for (int unit = 0; unit < 64; ++unit) {
      const float* row = dw.begin() + unit * 64;
      float most = 0;
      for (int i = 0; i < 64; ++i) most = std::max(most, std::abs(row[i]));
      dead += most == 0.0f;
      largest = std::max(largest, most);
    }
    table.row({name, fixed(100 * share_within(hidden, 0), 1) + " %",
               fixed(100 * share_within(hidden, 0.1f), 1) + " %", words("{} of 64", dead),
               small(largest)});
    (activation == Activation::relu ? off_relu : off_others) += share_within(hidden, 0);
    (activation == Activation::relu ? dead_relu : dead_others) += dead;
  }
  table.print();
  claim(off_relu > 0.4 && off_relu < 0.6, "relu switches off about half of the hidden values");
  claim(off_others == 0, "gelu and silu switch off none");
  claim(dead_relu > 0 && dead_others == 0, "units die with relu only");
  say("A relu unit that is off for every word gets no gradient: its own weights no longer learn. "
      "Only a change of its input, from layers below that are still trained, can bring it back. "
      "Gelu and silu leave a small slope.");
  finding("At the start relu switches off {} % of the hidden values; gelu and silu none",
          fixed(100 * off_relu, 1));
}

}  // namespace xf::lesson_04
