// Lesson 2, sections 7 to 9: several heads, the order of the words, the cost.

#include "01_embedding/positional_encoding.hpp"
#include "02_attention/lesson.hpp"
#include "02_attention/lesson_equation.hpp"
#include "speech/show.hpp"
#include "train/progress.hpp"

namespace xf::lesson_02 {
namespace {

// Head h of one sentence with its own three small matrices (Dk, D), sliced from the large ones.
//   x: (T, D)   returns (T, Dk)
xt::xtensor<float, 2> one_head(const MultiHeadAttention& layer, const xt::xtensor<float, 2>& x,
                               int h) {
  const int d_k = static_cast<int>(x.shape(1)) / layer.heads;
  const auto project = [&](const Linear& w) {
    const xt::xtensor<float, 2> w_h = to_xt<2>(slice(w.weight, 0, h * d_k, d_k));  // (Dk, D)
    return xt::xtensor<float, 2>(xt::linalg::dot(x, xt::transpose(w_h)));          // (T, Dk)
  };
  return attend(project(layer.w_q), project(layer.w_k), project(layer.w_v));
}

// head_h W_h^O: this head's share of the output.   returns (T, D)
xt::xtensor<float, 2> share_of(const MultiHeadAttention& layer, const xt::xtensor<float, 2>& head,
                               int h) {
  const int d_k = static_cast<int>(head.shape(1));
  const xt::xtensor<float, 2> w_o = to_xt<2>(slice(layer.w_o.weight, 1, h * d_k, d_k));  // (D, Dk)
  return xt::linalg::dot(head, xt::transpose(w_o));
}

Tensor rows_in_order(const Tensor& x, const std::vector<int>& order) {
  return gather_rows(x.view({x.size(1), x.size(2)}), order).view(x.shape());
}

// Milliseconds for one attention over `length` words, the best of 5.
double milliseconds(int length, int heads, int d_k, Random& random) {
  const Tensor q = normal({1, heads, length, d_k}, 1, random);
  return fastest_ms(5, [&] { attention(q, q, q); });
}

}  // namespace

void heads(Random& random) {
  section("What is a head?");
  say("Several heads look for different things at once. The layer makes them with one large "
      "projection (D, D) whose output is cut into H pieces of Dk columns; the claim is that this "
      "equals H separate attentions, each with its own small matrices. T = 3, D = 8, H = 2:");
  const MultiHeadAttention layer(8, 2, 0.0f, random);
  const Tensor x = normal({1, 3, 8}, 1, random);
  Recorder recorder({"weights"});
  const Tensor output = layer(x, x, {});  // (1, 3, 8)
  show("weights, one block per head", recorder.of("weights"));

  const xt::xtensor<float, 2> x2 = to_xt<2>(x.view({3, 8}));
  const xt::xtensor<float, 2> head_0 = one_head(layer, x2, 0), head_1 = one_head(layer, x2, 1);
  equation(
      "head_h = attend(dot(x, W_q[h]^T), dot(x, W_k[h]^T), dot(x, W_v[h]^T))    (T, Dk)\n"
      "output = dot(xt::concatenate(xt::xtuple(head_0, head_1), 1), W_o^T)       (T, D)");
  const xt::xtensor<float, 2> joined = xt::concatenate(xt::xtuple(head_0, head_1), 1);
  const xt::xtensor<float, 2> w_o = to_xt<2>(layer.w_o.weight);
  const xt::xtensor<float, 2> separate = xt::linalg::dot(joined, xt::transpose(w_o));
  agree("the layer and 2 separate heads", output.view({3, 8}), from_xt<2>(separate));

  say("Contrary to what is sometimes claimed, the heads are not averaged. They are laid side by "
      "side and projected, which is a sum in which each head has its own matrix. Exchange the "
      "two:");
  const xt::xtensor<float, 2> sum = share_of(layer, head_0, 0) + share_of(layer, head_1, 1);
  equation("output = head_0 W_o[0] + head_1 W_o[1]");
  agree("concatenation and sum", from_xt<2>(separate), from_xt<2>(sum));
  const xt::xtensor<float, 2> exchanged = xt::concatenate(xt::xtuple(head_1, head_0), 1);
  const xt::xtensor<float, 2> after = xt::linalg::dot(exchanged, xt::transpose(w_o));
  const double change = max_difference(from_xt<2>(separate), from_xt<2>(after));
  equation("their average does not change; the output of concat + W_o changes by up to {}",
           fixed(change));
  claim(change > 1e-3, "the output depends on which head is which");
  finding("H heads = H separate attentions, each on its own columns; concatenated, never averaged");
}

void order_of_words(Random& random) {
  section("Does attention know the order of the words?");
  const MultiHeadAttention layer(16, 4, 0.0f, random);
  const Tensor x = normal({1, 5, 16}, 1, random);
  const std::vector<int> order = {3, 0, 4, 1, 2};
  const Tensor shuffled = rows_in_order(x, order);
  say("No. Shuffle the 5 words of a sentence: the outputs are shuffled the same way, and that is "
      "all. (A causal mask would also tell it where a word is, but there is none here.)");
  equation("layer(P x) = P layer(x)                          P: order 3 0 4 1 2");
  agree("without positions", layer(shuffled, shuffled, {}), rows_in_order(layer(x, x, {}), order));
  const Tensor placed = add_positions(x), placed_shuffled = add_positions(shuffled);
  const double change = max_difference(layer(placed_shuffled, placed_shuffled, {}),
                                       rows_in_order(layer(placed, placed, {}), order));
  equation("with positions added: max |difference| {}", fixed(change));
  claim(change > 1e-2, "positions break the symmetry");
  finding(
      "By itself, attention sees a set of words: shuffled in, shuffled out. PE gives them an "
      "order");
}

void cost(Random& random, const Options& options) {
  section("What does attention cost?");
  say("Multiplications for one sentence of T words, D = 256: four projections of T D^2 each, and "
      "the scores and the mixture of T^2 D each. The weights of 8 heads must be kept for "
      "backward.");
  const double d = 256;
  std::vector<Phrase> heading = {"T", "projections (M)", "T^2 part (M)", "share of T^2",
                                 "weights (MB)"};
  if (options.time) heading.push_back("T^2 part, ms");
  Table table(heading);
  for (int length : {32, 128, 512, 2048}) {
    const double t = length, linear = 4 * t * d * d, square = 2 * t * t * d;
    std::vector<Phrase> cells = {
        std::to_string(length), fixed(linear / 1e6, 1), fixed(square / 1e6, 1),
        fixed(100 * square / (linear + square), 0) + " %", fixed(8 * t * t * 4 / 1e6, 2)};
    if (options.time) cells.push_back(fixed(milliseconds(length, 8, 32, random), 2));
    table.row(cells);
  }
  table.print();
  waiting(options);
  if (!options.time) say("`--time` adds measured times to both tables.");
  finding("Four times the length: 4 times the projections, 16 times the scores. Equal at T = 2 D");
}

}  // namespace xf::lesson_02
