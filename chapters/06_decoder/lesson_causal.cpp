// Lesson 6, section 5: the proof that the future does not reach the past.

#include <cmath>

#include "02_attention/mask.hpp"
#include "06_decoder/lesson.hpp"
#include "language/language.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/shape/shape_ops.hpp"
#include "plot/heatmap.hpp"
#include "speech/show.hpp"
#include "tensor/portable_math.hpp"

namespace xf::lesson_06 {
namespace {

constexpr int length = 7, d_model = 16;

// influence[t][s] = the norm of d output[t] / d x[s] along a fixed direction of output[t].
//   x: (1, T, D)   returns (T, T)
Tensor influence(const Decoder& decoder, const Tensor& input, const Tensor& encoded,
                 const Mask& mask, Random& random) {
  const Tensor direction = normal({1, 1, d_model}, 1.0, random);
  Tensor result = Tensor::zeros({length, length});
  for (int t = 0; t < length; ++t) {
    const Tensor x = parameter(input.clone());
    Tape tape;
    const Tensor row = slice(decoder(x, encoded, mask, {}), 1, t, 1);  // (1, 1, D)
    const Gradients gradients = tape.backward(weighted_sum(row, direction));
    const Tensor& dx = gradients.of(x);  // (1, T, D)
    for (int s = 0; s < length; ++s) {
      double squares = 0;
      for (int i = 0; i < d_model; ++i) squares += portable::square(dx.values()[s * d_model + i]);
      copy_into(result, {static_cast<float>(std::sqrt(squares))}, t * length + s);
    }
  }
  return result;
}

Heatmap heatmap_of(const Phrase& title, const Tensor& values,
                   const std::vector<std::string>& words) {
  return {.title = title,
          .rows = words,
          .columns = words,
          .values = values.values(),
          .row_count = length,
          .column_count = length,
          .row_title = "output at",
          .column_title = "input at"};
}

}  // namespace

void the_past_stays(const Options& options) {
  section("Does the mask keep the future out, through a whole stack?");
  Random random(options.seed, 3);
  const TokenEmbedding table(static_cast<int>(english.size()), d_model, random);
  const Decoder decoder(2, {.d_model = d_model, .d_ff = 32, .heads = 2}, random);
  const Linear output(d_model, static_cast<int>(english.size()), random);
  const Tensor encoded = normal({1, 4, d_model}, 1.0, random);
  const Ids input({1, length}, {bos, 4, 5, 6, 7, 8, 9});
  const std::vector<std::string> words = words_of(input, 0, english);
  const auto logits = [&](const Ids& ids, const Mask& mask) {
    return output(decoder(add_positions(table(ids)), encoded, mask, {}));  // (1, T, V)
  };
  const Mask causal = causal_mask(length, length);
  say("Two layers, D = 16, input '<bos> I love Beijing in the winter'. From position t on, every "
      "word is replaced by another. The logits (1, 7, 10) before t, max |difference|:");
  Table differences({"changed from t on", "logits before t, masked", "without the mask",
                     "logits from t on, masked"});
  double past = 0, leak = 1e9;
  for (int t = 1; t < length; ++t) {
    Ids changed(input.shape(), input.values());
    for (int s = t; s < length; ++s) changed[s] = 4 + (input[s] - 4 + 3) % 6;
    const auto moved = [&](const Mask& mask, int first, int count) {
      return max_difference(slice(logits(changed, mask), 1, first, count),
                            slice(logits(input, mask), 1, first, count));
    };
    const double masked = moved(causal, 0, t), open = moved({}, 0, t);
    differences.row({std::to_string(t) + " (" + words[static_cast<std::size_t>(t)] + ")",
                     small(masked), fixed(open, 2), fixed(moved(causal, t, length - t), 2)});
    past = std::max(past, masked);
    leak = std::min(leak, open);
  }
  differences.print();
  claim(past <= 1e-6, "the past does not depend on the future");
  claim(leak > 1e-3, "without the mask the past depends on the future");

  say("The same question answered with gradients, for all pairs at once: how strongly does the "
      "output at t (row) depend on the input at s (column)?");
  const Tensor x = add_positions(table(input));
  const Tensor masked = influence(decoder, x, encoded, causal, random);
  const Tensor open = influence(decoder, x, encoded, {}, random);
  show("|d output_t / d input_s| with the causal mask, (T, T)", masked,
       {.rows = words, .columns = words});
  double above = 0, below = 1e9, above_open = 1e9;
  for (int t = 0; t < length; ++t)
    for (int s = 0; s < length; ++s) {
      const double value = masked.values()[t * length + s];
      if (s > t) above = std::max(above, value);
      if (s <= t) below = std::min(below, value);
      if (s > t) above_open = std::min(above_open, double(open.values()[t * length + s]));
    }
  claim(above == 0, "no gradient from the past to the future");
  claim(below > 0 && above_open > 0, "each output depends on all that it may look at");
  say("Above the diagonal, all are exactly 0. Without the mask, the smallest of them is {}.",
      small(above_open));
  write_picture(
      options, "influence.svg",
      heatmap_grid_svg(
          "What each output depends on",
          {heatmap_of("causal mask", masked, words), heatmap_of("no mask", open, words)}, 2));
  finding("Change the future: the past logits move by {} with the causal mask, {} or more without",
          small(past), fixed(leak, 2));
}

}  // namespace xf::lesson_06
