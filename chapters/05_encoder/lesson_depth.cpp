// Lesson 5, sections 6 and 7: how the output grows with depth, and where the gradient arrives.

#include <cmath>

#include "05_encoder/lesson.hpp"
#include "ops/reduce/reduce.hpp"
#include "plot/lines.hpp"
#include "speech/show.hpp"

namespace xf::lesson_05 {
namespace {

constexpr int depth = 24;

LayerSizes sizes_with(NormOrder order) {
  return {.d_model = 64, .d_ff = 256, .heads = 4, .norm = order};
}

double root_mean_square(const Tensor& x) {
  return norm_of(x) / std::sqrt(static_cast<double>(x.count()));
}

// The root mean square of the stack's input and of every layer's output.
std::vector<double> sizes_by_depth(const Encoder& encoder, Tensor x) {
  std::vector<double> sizes{root_mean_square(x)};
  for (const EncoderLayer& layer : encoder.layers) {
    x = layer(x, {});
    sizes.push_back(root_mean_square(x));
  }
  return sizes;
}

// Four sentences of 8 words, drawn at random, embedded.
Tensor some_sentences(int d_model, Random& random) {
  Ids ids = Ids::full({4, 8}, 0);
  for (int i = 0; i < 32; ++i) ids[i] = 4 + random.below(7);
  return embedded(ids, TokenEmbedding(static_cast<int>(vocabulary.size()), d_model, random));
}

Gradients gradients_of(const Encoder& encoder, const Tensor& x, Random& random) {
  const Tensor weights = normal(x.shape(), 1.0, random);
  Tape tape;
  return tape.backward(weighted_sum(encoder(x, {}), weights));
}

}  // namespace

void growth_with_depth(const CommonOptions& options) {
  section("How large is the output after many layers?");
  say("Fresh weights, 24 layers, D = 64, 4 sentences of 8 words. The root mean square of the "
      "numbers after each layer:");
  Random random(options.seed, 6);
  const Tensor x = some_sentences(64, random);
  const Encoder post(depth, sizes_with(NormOrder::post), random);
  const Encoder pre(depth, sizes_with(NormOrder::pre), random);
  const std::vector<double> post_sizes = sizes_by_depth(post, x);
  const std::vector<double> pre_sizes = sizes_by_depth(pre, x);
  Table table({"after layer", "post-norm", "pre-norm"});
  for (const std::size_t layer : {0u, 1u, 2u, 4u, 8u, 16u, 24u})
    table.row({layer == 0 ? Phrase("0 (the input)") : Phrase(layer), fixed(post_sizes[layer], 2),
               fixed(pre_sizes[layer], 2)});
  table.row({"the stack", fixed(root_mean_square(post(x, {})), 2),
             fixed(root_mean_square(pre(x, {})), 2)});
  table.print();

  LineChart chart{.title = words("In {} layers pre-norm grows to {}, post-norm stays at {}", depth,
                                 fixed(pre_sizes[depth], 2), fixed(post_sizes[depth], 2)),
                  .x_title = "layer",
                  .y_title = "root mean square of the outputs",
                  .series = {{"pre-norm", {}, pre_sizes}, {"post-norm", {}, post_sizes}}};
  for (Series& series : chart.series)
    for (int layer = 0; layer <= depth; ++layer) series.x.push_back(layer);
  write_picture(options, "growth.svg", line_chart_svg(chart));

  claim(std::abs(post_sizes[depth] - 1) < 0.01, "post-norm keeps the size at 1");
  claim(pre_sizes[depth] > 2 * pre_sizes[1], "pre-norm grows with depth");
  claim(std::abs(root_mean_square(pre(x, {})) - 1) < 0.01, "the final norm brings it back to 1");
  say("Post-norm ends every layer with a norm. Pre-norm adds one branch after another to the same "
      "sum, which is never normalised along the way, and that is why its stack ends with a norm of "
      "its own.");
  finding("In 24 layers pre-norm grows to {} and so needs its final norm; post-norm stays at {}",
          fixed(pre_sizes[depth], 2), fixed(post_sizes[depth], 2));
}

void gradient_flow(std::uint64_t seed) {
  section("Does every parameter get a gradient?");
  say("A check to run on every new model: one backward pass, then look at each parameter. "
      "Layer 0 of a 2-layer encoder, D = 16; the norm of the gradient:");
  Random random(seed, 7);
  const Tensor x = some_sentences(16, random);
  const LayerSizes sizes{.d_model = 16, .d_ff = 32, .heads = 2};
  LayerSizes pre_sizes = sizes;
  pre_sizes.norm = NormOrder::pre;
  Encoder post(2, sizes, random), pre(2, pre_sizes, random);
  Gradients post_gradients = gradients_of(post, x, random);
  Gradients pre_gradients = gradients_of(pre, x, random);
  Table table({"parameter of layer 0", "post-norm", "pre-norm"});
  const std::vector<NamedParameter> post_names = parameters(post), pre_names = parameters(pre);
  for (std::size_t i = 0; i < post_names.size(); ++i) {
    const double in_post = norm_of(post_gradients.of(*post_names[i].tensor));
    const double in_pre = norm_of(pre_gradients.of(*pre_names[i].tensor));
    const bool key_bias = post_names[i].name.ends_with("w_k.bias");
    claim(key_bias ? in_post < 1e-4 && in_pre < 1e-4 : in_post > 1e-3 && in_pre > 1e-3,
          "a gradient reaches every parameter but the key biases");
    if (post_names[i].name.starts_with("layers.0."))
      table.row({post_names[i].name.substr(9), small(in_post), small(in_pre)});
  }
  table.print();
  say("All but one do. The exception is the bias of the keys. It adds q . b to every score of a "
      "row, and the softmax does not change when all scores of a row move together. What is left "
      "is rounding.");
  equation("softmax(s_1 + c, …, s_n + c) = softmax(s_1, …, s_n)");

  say("With 24 layers, the gradient norms of W_1 in the first, a middle and the last layer are:");
  Table deep({"norm order", "layer 0", "layer 12", "layer 23", "layer 0 / layer 23"});
  const Tensor deep_x = some_sentences(64, random);
  double least = 1, most = 1;  // layer 0 / layer 23
  for (const NormOrder order : {NormOrder::post, NormOrder::pre}) {
    const Encoder encoder(depth, sizes_with(order), random);
    Gradients gradients = gradients_of(encoder, deep_x, random);
    const auto at = [&](std::size_t layer) {
      return norm_of(gradients.of(encoder.layers[layer].feed_forward.w_1.weight));
    };
    deep.row({order == NormOrder::post ? "post" : "pre", fixed(at(0), 2), fixed(at(12), 2),
              fixed(at(23), 2), fixed(at(0) / at(23), 2)});
    least = std::min(least, at(0) / at(23)), most = std::max(most, at(0) / at(23));
  }
  deep.print();
  claim(least > 0.1 && most < 10, "no layer is cut off, in either order");
  say("No layer is cut off, in either order. With post-norm, though, training a deep stack takes "
      "more than this: it takes the warm-up of chapter 7.");
  finding("Every encoder parameter but the key bias, which softmax cancels, gets a gradient");
}

}  // namespace xf::lesson_05
