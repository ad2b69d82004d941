#include "01_embedding/positional_encoding.hpp"
#include "09_since_2017/lesson.hpp"
#include "09_since_2017/rotary_position.hpp"
#include "09_since_2017/swiglu.hpp"
#include "nn/parameters.hpp"
#include "ops/matmul/matmul.hpp"
#include "speech/show.hpp"
#include "tensor/xt.hpp"

namespace xf::since_2017 {

namespace {

using Matrix = xt::xtensor<float, 2>;
using Vector = xt::xtensor<float, 1>;

// A vector at position t, as a query or key.   x: (1, 1, Dk)
Tensor at_position(const Tensor& x, const RotaryPositions& rotary, int t) {
  return rotate(x, rotary.turns(t, 1));
}

}  // namespace

void rotary_section(Random& random) {
  section("Positions that turn queries and keys");
  say("Chapter 1 adds a vector to each word, and its section 5 shows that a step of k positions "
      "turns that vector. Rotary positions (Su et al. 2021) add nothing. They turn each query and "
      "each key, at the same speeds, by a rotation R_t that depends on its position t:");
  equation("score(t, s) = (R_t q) . (R_s k) = q . R_(s-t) k");
  const int d_k = 8;
  const RotaryPositions rotary(d_k, 10000);
  const Tensor encoding = sinusoidal_positions(1, d_k, 3, PositionLayout::halves).view({1, 1, d_k});
  // The encoding's pairs are (sin, cos), not (cos, sin): they rotate the other way.
  const Tensor turned = at_position(encoding, rotary, -4);
  agree("PE(7) of chapter 1 is R_(-4) PE(3): there the pairs turn the other way", turned,
        sinusoidal_positions(1, d_k, 7, PositionLayout::halves).view({1, 1, d_k}));
  const Tensor q = normal({1, 1, d_k}, 1, random), k = normal({1, 1, d_k}, 1, random);
  const auto score = [&](int t, int s) {
    const Tensor query = at_position(q, rotary, t), key = at_position(k, rotary, s);
    return double(matmul(query, key, Transpose::yes).item());
  };
  Table table({"t", "s", "t - s", "score"});
  for (const auto& [t, s] : {std::pair{5, 2}, {105, 102}, {1005, 1002}, {5, 4}, {1005, 1004}})
    table.row({std::to_string(t), std::to_string(s), std::to_string(t - s), fixed(score(t, s), 4)});
  table.print();
  double apart = 0;
  for (int shift = 1; shift <= 1000; ++shift)
    apart = std::max(apart, std::abs(score(5 + shift, 2 + shift) - score(5, 2)));
  claim(apart < 1e-3, "the score depends only on the distance t - s, at 1000 places in the text");
  double differ = 0;
  for (int s = 0; s < 5; ++s) differ = std::max(differ, std::abs(score(5, s) - score(5, 5)));
  claim(differ > 1e-2, "at another distance, the score is different");
  say("Chapter 8 reaches the same end by addition. Two of its score's four terms depend on the "
      "distance. They need a matrix W_kR and learned vectors u and v, and a shift puts them into "
      "place. A rotation has no parameter, and a key is turned only once, when it enters the "
      "cache.");
  finding("Rotary positions: scores depend on distances, without a parameter.");
}

void rms_norm_section(Random& random) {
  section("A norm without the mean");
  say("Layer norm subtracts a row's mean and divides by its deviation (chapter 3). RMSNorm (Zhang "
      "and Sennrich 2019) only divides, by the root of the mean square:");
  equation("y = gamma x / sqrt(mean(x^2) + eps)");
  const int width = 6;
  const Tensor x = normal({3, width}, 2, random), gamma = normal({width}, 1, random);
  const float eps = 1e-6f;
  const Matrix rows = to_xt<2>(x);
  const Matrix squares = rows * rows;
  const Vector mean = xt::mean(squares, {1});
  const Matrix root = xt::reshape_view(xt::sqrt(mean + eps), {3, 1});
  const Matrix formula = to_xt<1>(gamma) * rows / root;
  const RmsNorm norm{gamma, eps};
  agree("the layer agrees with the equation", norm(x), from_xt(formula));
  const Tensor ones = constant({width}, 1);
  const Tensor plain = rms_norm(x, ones, 0), shifted = rms_norm(x + constant({width}, 3), ones, 0);
  agree("a row times 100 gives the same result", rms_norm(scale(x, 100), ones, 0), plain);
  claim(max_difference(shifted, plain) > 0.1,
        "an offset stays in the row: layer norm would remove it");
  say("Leaving out the mean costs little. The next layer can undo an offset, but not a size. A row "
      "now takes one sum instead of two, and there is no beta.");
  finding("RMSNorm keeps layer norm's purpose, controlling the size, with half of the parameters.");
}

void swiglu_section(Random& random) {
  section("A feed-forward network with a gate");
  say("Chapter 4's network has two matrices. SwiGLU (Shazeer 2020) has three. It multiplies two "
      "products feature by feature, and the one inside silu is a gate for the other:");
  equation("silu(z) = z / (1 + exp(-z))");
  equation("SwiGLU(x) = (silu(x W_gate^T) * x W_up^T) W_down^T");
  DecoderConfig config;
  config.d_model = 6, config.d_ff = 16;
  const SwiGlu gated(config, "ffn", drawn(random, 0.5));
  const Tensor x = normal({1, 4, config.d_model}, 1, random);
  const auto product = [](const Tensor& rows, const Linear& layer) {
    return to_xt<2>(matmul(rows, layer.weight, Transpose::yes));
  };
  const Tensor rows = x.view({4, config.d_model});
  const Matrix gate = product(rows, gated.w_gate), up = product(rows, gated.w_up);
  const Matrix hidden = gate / (1.0f + xt::exp(-gate)) * up;
  const Matrix formula = product(from_xt(hidden), gated.w_down);
  agree("the layer agrees with the equation", gated(x).view({4, config.d_model}), from_xt(formula));
  config.d_ff = 24, config.gated = false;
  const SwiGlu plain(config, "ffn", drawn(random, 0.5));
  const auto count = [](SwiGlu layer) { return parameter_count(parameters(layer)); };
  Table table({"network", "matrices", "Dff", "parameters"});
  table.row({"plain", "2", "24", std::to_string(count(plain))});
  table.row({"gated", "3", "16", std::to_string(count(gated))});
  table.print();
  claim(count(plain) == count(gated),
        "with two thirds of the width it has equally many parameters");
  finding("SwiGLU: three matrices of two thirds the width, and a product in place of a bend.");
}

}  // namespace xf::since_2017
