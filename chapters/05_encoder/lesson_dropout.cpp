// Lesson 5, section 9: dropout at each of its places in a layer, and where it does not belong.

#include <cmath>

#include "05_encoder/lesson.hpp"
#include "speech/show.hpp"

namespace xf::lesson_05 {

namespace {

constexpr float p = 0.1f;

// Where dropout applies in one pass: to the embedded words, and within the layer.
struct Places {
  bool words, weights, outputs, hidden;
};

// A layer with dropout only at these places.   x: (B, S, D)   returns (B, S, D)
Tensor pass(EncoderLayer layer, const Tensor& x, const Places& at) {
  layer.self_attention.dropout_rate = at.weights ? p : 0;
  layer.dropout_rate = at.outputs ? p : 0;
  layer.feed_forward.dropout_rate = at.hidden ? p : 0;
  return layer(dropout(x, at.words ? p : 0), {});
}

// The root mean square difference between two training passes, over ten pairs of them.
double between_passes(const EncoderLayer& layer, const Tensor& x, const Places& at,
                      std::uint64_t seed) {
  const Training training(seed);
  double squares = 0;
  for (int i = 0; i < 10; ++i) {
    const Values a = pass(layer, x, at).values(), b = pass(layer, x, at).values();
    for (std::ptrdiff_t j = 0; j < x.count(); ++j) squares += (a[j] - b[j]) * (a[j] - b[j]);
  }
  return std::sqrt(squares / (10.0 * static_cast<double>(x.count())));
}

// The share of x that survives `layers` blocks whose sub-layers contribute nothing, f = 0.
double left_of(const Tensor& x, int layers, bool on_the_path, std::uint64_t seed) {
  const Training training(seed);
  const LayerNorm norm(x.size(-1));
  const auto silent = [](const Tensor& h) { return Tensor::zeros(h.shape()); };
  Tensor y = x;
  for (int i = 0; i < layers; ++i)
    y = residual(on_the_path ? dropout(y, p) : y, norm, NormOrder::pre, p, silent);
  int left = 0;
  for (const float value : y.values()) left += value != 0;
  return double(left) / static_cast<double>(y.count());
}

}  // namespace

void dropout_places(std::uint64_t seed) {
  section("Where does dropout go?");
  say("In training, at four places: on the embedded words, on the attention weights, on the hidden "
      "values of the feed-forward network, and on the output of each sub-layer, before it is added "
      "(the paper has the first and the last). One fresh layer, D = 64, Dff = 256, 4 heads, 4 "
      "sentences of 8 words; p = 0.1 at one place at a time. By how much do two passes differ "
      "(root mean square; that of the output is 1)?");
  Random random(seed, 9);
  const EncoderLayer layer({.d_model = 64, .d_ff = 256, .heads = 4}, random);
  const Tensor x = normal({4, 8, 64}, 1.0, random);
  const Tensor plain = layer(x, {});
  Table table({"dropout on", "numbers", "in training", "at inference"});
  double least = 1, all = 0;
  const auto row = [&](const Phrase& name, int numbers, const Places& at) {
    all = between_passes(layer, x, at, mix(seed));
    const double inference = max_difference(pass(layer, x, at), plain);
    least = std::min(least, all);
    table.row({name, std::to_string(numbers), fixed(all), fixed(inference)});
    claim(inference == 0, "at inference dropout does nothing, wherever it is put");
  };
  row("the embedded words", 4 * 8 * 64, {true, false, false, false});
  row("the attention weights", 4 * 4 * 8 * 8, {false, true, false, false});
  row("the sub-layers' outputs", 2 * 4 * 8 * 64, {false, false, true, false});
  row("the hidden values", 4 * 8 * 256, {false, false, false, true});
  row("all of them", 2048 + 1024 + 4096 + 8192, {true, true, true, true});
  table.print();
  claim(least > 0.01, "in training, dropout anywhere makes passes differ");
  say("It is never applied to the path of the residual: a value that is set to 0 there is lost to "
      "all layers above. In the test below, the sub-layers of 12 layers output 0, so x should come "
      "out unchanged. This proportion of its values does:");
  const double kept = left_of(x, 12, false, mix(seed)), lost = left_of(x, 12, true, mix(seed));
  Table left({"dropout on", "x retained"});
  left.row({"the sub-layers' outputs", fixed(kept)});
  left.row({words("the path, (1 - p)^12 = {}", fixed(std::pow(1 - double(p), 12))), fixed(lost)});
  left.print();
  claim(kept == 1, "dropout on the branches leaves the path alone");
  claim(lost < 0.4, "dropout on the path loses x");
  finding(
      "Dropout at four places, never on the path: passes differ by {} in training, by 0 at "
      "inference",
      fixed(all, 2));
}

}  // namespace xf::lesson_05
