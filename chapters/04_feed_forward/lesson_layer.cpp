// Lesson 4, sections 1 and 2: what the layer computes, and that it is a 1x1 convolution.

#include <numeric>

#include "04_feed_forward/equations.hpp"
#include "04_feed_forward/lesson.hpp"
#include "io/show.hpp"
#include "ops/shape/shape_ops.hpp"

namespace xf::lesson_04 {

namespace {

using equations::Matrix;
using equations::Vector;

// A layer whose biases are not zero, so that a comparison would notice a forgotten one.
FeedForward layer_with_biases(int d_model, int d_ff, Random& random) {
  FeedForward layer(d_model, d_ff, Activation::relu, 0, random);
  layer.w_1.bias = normal({d_ff}, 0.5, random);
  layer.w_2.bias = normal({d_model}, 0.5, random);
  return layer;
}

// The layer as two convolutions over time whose kernels are `width` wide; those of width 1 hold
// the layer's weights, wider ones have them in every tap.   x: (T, D)   returns (T, D)
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

// Every row on its own through the layer.   x: (T, D)   returns (T, D)
Tensor row_by_row(const Tensor& x, const FeedForward& layer) {
  Tensor rows = layer(slice(x, 0, 0, 1));
  for (int t = 1; t < x.size(0); ++t) rows = concat(rows, layer(slice(x, 0, t, 1)), 0);
  return rows;
}

}  // namespace

void the_layer(std::uint64_t seed) {
  section("What does the feed-forward layer compute?");
  say("Attention mixes positions. The feed-forward layer works on each position alone: widen from "
      "D features to Dff, set what is negative to zero, narrow back to D.");
  equation("FFN(x) = max(0, x W_1^T + b_1) W_2^T + b_2               Vaswani et al. 2017, eq. 2");
  Random random(seed, 1);
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
  say("With biases the two differ by up to " + fixed(bent, 2) + ".");
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
  say("The control: a kernel of width 3 sees its neighbours, and the same comparison gives " +
      fixed(control, 2) + ".");
  claim(control > 1e-2, "a convolution of width 3 depends on the order");

  Tensor changed_x = x.clone();
  copy_into(changed_x, std::vector<float>(8, 1.0f), 2 * 8);
  const Tensor changed = layer(changed_x);
  std::string rows;
  for (int t = 0; t < 5; ++t)
    if (max_difference(slice(changed, 0, t, 1), slice(y, 0, t, 1)) > 1e-5)
      rows.append(" ").append(std::to_string(t));
  say("And a word is not seen by the others: replace word 2, and the outputs that change are:" +
      rows + ".");
  claim(rows == " 2", "changing word 2 changes output 2 only");
  finding(
      "Feed-forward = 1x1 convolution = one linear map for all positions; only attention mixes");
}

}  // namespace xf::lesson_04
