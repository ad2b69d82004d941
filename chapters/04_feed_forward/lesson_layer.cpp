// Lesson 4, sections 1 and 2: what the layer computes, and that it is a 1x1 convolution.

#include "04_feed_forward/equations.hpp"
#include "04_feed_forward/lesson.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/shape/shape_ops.hpp"
#include "plot/diagram.hpp"
#include "speech/show.hpp"

namespace xf::lesson_04 {

namespace {

using equations::Matrix;

// A layer whose biases are not zero, so that a comparison would notice a forgotten one.
FeedForward layer_with_biases(int d_model, int d_ff, Random& random) {
  FeedForward layer(d_model, d_ff, Activation::relu, 0, random);
  layer.w_1.bias = normal({d_ff}, 0.5, random);
  layer.w_2.bias = normal({d_model}, 0.5, random);
  return layer;
}

// The layer as two convolutions over time with kernels of width `width`: width 1 holds the layer's
// weights, a wider kernel repeats them in every tap.   x: (T, D)   returns (T, D)
Matrix as_convolution(const Matrix& x, const FeedForward& layer, std::size_t width) {
  const auto convolve = [width](const Matrix& channels, const Linear& linear) {
    const Matrix weight = to_xt<2>(linear.weight);
    xt::xtensor<float, 3> kernel(
        std::array<std::size_t, 3>{weight.shape(0), weight.shape(1), width});
    for (std::size_t j = 0; j < width; ++j) xt::view(kernel, xt::all(), xt::all(), j) = weight;
    return equations::convolution(channels, kernel, to_xt<1>(linear.bias));
  };
  const Matrix channels = xt::transpose(x);                                // (D, T)
  const Matrix hidden = xt::maximum(convolve(channels, layer.w_1), 0.0f);  // (Dff, T)
  const Matrix narrowed = convolve(hidden, layer.w_2);                     // (D, T)
  return xt::transpose(narrowed);                                          // (T, D)
}

// Passes each row through the layer separately.   x: (T, D)   returns (T, D)
Tensor row_by_row(const Tensor& x, const FeedForward& layer) {
  Tensor rows = layer(slice(x, 0, 0, 1));
  for (int t = 1; t < x.size(0); ++t) rows = concat(rows, layer(slice(x, 0, t, 1)), 0);
  return rows;
}

// One hidden unit of the layer at x (D): its row of W_1 gives one number, which its column of W_2
// carries to the output.
void draw_unit(const FeedForward& layer, const std::vector<float>& x, int unit,
               const CommonOptions& options) {
  const int d_model = layer.w_1.weight.size(1), d_ff = layer.w_1.weight.size(0);
  const Values w_1 = layer.w_1.weight.values(), w_2 = layer.w_2.weight.values();
  float sum = layer.w_1.bias.values()[unit];
  for (int d = 0; d < d_model; ++d) sum += w_1[unit * d_model + d] * x[static_cast<std::size_t>(d)];
  const float h = std::max(0.0f, sum);

  Diagram diagram("One hidden unit: its row of W_1 asks, its column of W_2 answers", 930, 350);
  const auto cell = [](float value, const Ink& ink) {
    return Diagram::Cell{.text = fixed(value, 2), .fill = ink.fill, .edge = ink.line};
  };
  const auto ink_of = [&](int i) { return i == unit ? ink::orange : ink::grey; };
  const std::string number = std::to_string(unit);
  diagram.grid({.x = 40,
                .y = 80,
                .cell_width = 46,
                .cell_height = 26,
                .rows = 1,
                .columns = d_model,
                .cell = [&](int, int d) { return cell(x[static_cast<std::size_t>(d)], ink::blue); },
                .name = "x (D), one word"});
  diagram.grid({.x = 40,
                .y = 160,
                .cell_width = 46,
                .cell_height = 26,
                .rows = d_ff,
                .columns = d_model,
                .cell = [&](int i, int d) { return cell(w_1[i * d_model + d], ink_of(i)); },
                .name = "W_1 (Dff, D)",
                .shape = words("row {}", number)});
  diagram.arrow(232, 93, 312, 178);
  diagram.arrow(232, 173 + 26.0 * unit, 312, 200);
  diagram.box(315, 160, 200, 70, ink::gold,
              {"h_" + number + " = " + fixed(h, 2), words("max(0, row {} · x + b)", number),
               "= max(0, " + fixed(sum, 2) + ")"});
  diagram.arrow(517, 195, 556, 195);
  diagram.grid({.x = 560,
                .y = 130,
                .cell_width = 40,
                .cell_height = 26,
                .rows = d_model,
                .columns = d_ff,
                .cell = [&](int d, int i) { return cell(w_2[d * d_ff + i], ink_of(i)); },
                .name = "W_2 (D, Dff)",
                .shape = words("column {}", number)});
  diagram.arrow(804, 182, 846, 182);
  diagram.grid({.x = 852,
                .y = 130,
                .cell_width = 46,
                .cell_height = 26,
                .rows = d_model,
                .columns = 1,
                .cell = [&](int d, int) { return cell(h * w_2[d * d_ff + unit], ink::green); },
                .name = "h · column"});
  diagram.text(315, 290, "y = the sum over all units of h_i · column i, plus b_2", {.size = 13});
  diagram.text(315, 312, "With relu, a unit that does not match x adds nothing.", {.size = 13});
  write_picture(options, "hidden_unit.svg", diagram.file());
}

}  // namespace

void the_layer(const CommonOptions& options) {
  section("What does the feed-forward layer compute?");
  say("Attention mixes positions. The feed-forward layer works on each position separately: widen "
      "from D features to Dff, set what is negative to zero, narrow back to D.");
  equation("FFN(x) = max(0, x W_1^T + b_1) W_2^T + b_2               Vaswani et al. 2017, eq. 2");
  Random random(options.seed, 1);
  const FeedForward layer = layer_with_biases(4, 6, random);
  const Tensor x = normal({3, 4}, 1.0, random);
  const Tensor before = layer.w_1(x);  // (3, 6)
  show("x, 3 words of D = 4 features", x);
  show("W_1, (Dff, D)", layer.w_1.weight);
  show("b_1", layer.w_1.bias);
  show("x W_1^T + b_1, one row a word", before);
  show("max(0, that): the hidden layer", relu(before));
  show("W_2, (D, Dff)", layer.w_2.weight);
  show("b_2", layer.w_2.bias);
  show("FFN(x), the shape of x", layer(x));

  say("The same in xtensor:");
  equation(
      "hidden = xt::maximum(xt::linalg::dot(x, xt::transpose(w_1)) + b_1, 0.0f);   // (T, Dff)\n"
      "y      = xt::linalg::dot(hidden, xt::transpose(w_2)) + b_2;                 // (T, D)");
  agree("layer and equation", layer(x), from_xt(equations::feed_forward(to_xt<2>(x), layer)));
  say("The paper's layer has both biases; some models, T5 and LLaMA among them, leave them out. "
      "With relu, the layer without biases is homogeneous: FFN(2x) = 2 FFN(x), whatever was "
      "learned.");
  FeedForward bare = layer;
  bare.w_1.bias = bare.w_2.bias = Tensor();
  agree("without biases, FFN(2x) and 2 FFN(x)", bare(scale(x, 2)), scale(bare(x), 2));
  const double bent = max_difference(layer(scale(x, 2)), scale(layer(x), 2));
  claim(bent > 1e-2, "with biases, FFN(2x) is not 2 FFN(x)");
  say("With biases the two differ by up to {}.", fixed(bent, 2));
  const std::vector<float> first = x.values();
  draw_unit(layer, {first.begin(), first.begin() + 4}, argmax(slice(before, 0, 0, 1))[0], options);
  finding("FFN(x) = max(0, x W_1^T + b_1) W_2^T + b_2, for each word separately");
}

void positions_alike(std::uint64_t seed) {
  section("Position-wise, 1x1 convolution, linear on every position: are these the same?");
  Random random(seed, 2);
  const FeedForward layer = layer_with_biases(8, 16, random);
  const Tensor x = normal({5, 8}, 1.0, random);
  const Tensor y = layer(x);
  say("x is (5, 8): T = 5 words, D = 8; Dff = 16. A convolution slides its kernel over time; with "
      "a kernel of width 1 it sees one position, so it is the same matrix at every position.");
  equation(
      "y[o, t] = b[o] + sum over i and j of kernel[o, i, j] x[i, t + j - K/2],      K = 1\n"
      "kernel  = xt::view(w, xt::all(), xt::all(), xt::newaxis());               // (O, I, 1)\n"
      "y      += xt::linalg::dot(tap_j, xt::view(x, xt::all(), xt::range(j, j + T)));");
  agree("all positions at once, and one by one", y, row_by_row(x, layer));
  agree("the layer, and two 1x1 convolutions", y, from_xt(as_convolution(to_xt<2>(x), layer, 1)));

  const std::vector<int> order{3, 0, 4, 1, 2};
  const Tensor shuffled = gather_rows(x, order);
  say("So the order of the words plays no part. Put them in the order 3 0 4 1 2:");
  agree("FFN(shuffled x), and shuffled FFN(x)", layer(shuffled), gather_rows(y, order));
  const Tensor wide = from_xt(as_convolution(to_xt<2>(x), layer, 3));
  const Tensor wide_shuffled = from_xt(as_convolution(to_xt<2>(shuffled), layer, 3));
  const double control = max_difference(wide_shuffled, gather_rows(wide, order));
  say("As a control, a kernel of width 3 sees the neighbouring words, and the same comparison "
      "gives {}.",
      fixed(control, 2));
  claim(control > 1e-2, "a convolution of width 3 depends on the order");

  Tensor changed_x = x.clone();
  copy_into(changed_x, std::vector<float>(8, 1.0f), 2 * 8);
  const Tensor changed = layer(changed_x);
  std::string rows;
  for (int t = 0; t < 5; ++t)
    if (max_difference(slice(changed, 0, t, 1), slice(y, 0, t, 1)) > 1e-5)
      rows.append(rows.empty() ? "" : " ").append(std::to_string(t));
  say("No word sees another either. If word 2 is replaced, the outputs that change are: {}.", rows);
  claim(rows == "2", "changing word 2 changes output 2 only");
  finding(
      "Feed-forward = 1x1 convolution = one linear map for all positions; only attention mixes");
}

}  // namespace xf::lesson_04
