// Lesson 5, sections 1 to 3: one layer from its parts, the residual, the stack.

#include "05_encoder/equations.hpp"
#include "05_encoder/lesson.hpp"
#include "speech/show.hpp"

namespace xf::lesson_05 {
namespace {

constexpr LayerSizes post_sizes{.d_model = 8, .d_ff = 16, .heads = 2, .norm = NormOrder::post};
constexpr LayerSizes pre_sizes{.d_model = 8, .d_ff = 16, .heads = 2, .norm = NormOrder::pre};
const Ids three_words({1, 3}, {4, 5, 10});

// A batch of one sentence as a matrix, and the layer's equation on it.
Tensor by_equation(const Tensor& x, const EncoderLayer& layer) {
  const std::size_t length = static_cast<std::size_t>(x.size(1));
  const equations::Matrix everything = xt::ones<float>({length, length});
  const equations::Matrix sentence = to_xt<2>(x.view({x.size(1), x.size(2)}));
  return from_xt(equations::encoder_layer(sentence, everything, layer)).view(x.shape());
}

}  // namespace

void one_layer(std::uint64_t seed) {
  section("How are the parts of chapters 1 to 4 put together?");
  say("An encoder layer is self-attention, then the feed-forward network, each with a residual and "
      "a norm. First comes the order of the paper, post-norm, by hand: D = 8, 2 heads, Dff = 16.");
  equation(
      "y = norm_1(x + SelfAttention(x))            Vaswani et al. 2017, 3.1\n"
      "z = norm_2(y + FFN(y))");
  Random random(seed, 1);
  const TokenEmbedding table(static_cast<int>(vocabulary.size()), 8, random);
  const EncoderLayer layer = stirred(EncoderLayer(post_sizes, random), random);
  const std::vector<std::string> words = words_of(three_words, 0, vocabulary);

  const Tensor x = embedded(three_words, table);
  show("x = sqrt(D) embedding + positions", x, {.rows = words});
  Recorder recorder({"weights"});
  const Tensor attended = layer.self_attention(x, x, {});
  show("the attention weights, (B, H, S, S)", recorder.of("weights"),
       {.rows = words, .columns = words});
  show("SelfAttention(x)", attended, {.rows = words});
  const Tensor y = layer.self_attention_norm(x + attended);
  show("y = norm_1(x + SelfAttention(x))", y, {.rows = words});
  const Tensor z = layer.feed_forward_norm(y + layer.feed_forward(y));
  show("z = norm_2(y + FFN(y)), the layer's output: the shape of x", z, {.rows = words});
  agree("EncoderLayer, and these steps", layer(x, {}), z);

  say("The whole layer in xtensor, for one sentence (T, D):");
  equation(
      "y = layer_norm(x + multi_head(x, x, mask, attention), norm_1);\n"
      "z = layer_norm(y + feed_forward(y), norm_2);                            // post-norm\n"
      "h = layer_norm(x, norm_1);\n"
      "y = x + multi_head(h, h, mask, attention);\n"
      "z = y + feed_forward(layer_norm(y, norm_2));                            // pre-norm\n"
      "  multi_head:  weights = mask * xt::exp(scores);  weights /= xt::sum(weights, {1})\n"
      "               head    = xt::linalg::dot(weights, v)\n"
      "  layer_norm:  gamma * (x - mean) / xt::sqrt(variance + eps) + beta");
  agree("post-norm: EncoderLayer and equation", layer(x, {}), by_equation(x, layer));
  const EncoderLayer pre = stirred(EncoderLayer(pre_sizes, random), random);
  agree("pre-norm:  EncoderLayer and equation", pre(x, {}), by_equation(x, pre));
  const double apart = max_difference(layer(x, {}), [&] {
    EncoderLayer same_weights = layer;
    same_weights.order = NormOrder::pre;
    return same_weights(x, {});
  }());
  claim(apart > 1e-2, "the norm order makes a difference");
  say("The order matters: with the same weights, the other order changes the output by up to {}.",
      fixed(apart, 2));
  finding("An encoder layer: attention, then feed-forward, each with a residual and a norm");
}

void kept_residual(std::uint64_t seed) {
  section("Pre-norm: which x is added at the end?");
  say("The un-normalised one. A common mistake is to overwrite x with its norm before the sum:");
  equation(
      "right:  y = x + SelfAttention(norm(x))\n"
      "wrong:  x = norm(x);  y = x + SelfAttention(x)");
  say("A test that catches it is to silence both sub-layers (W_O = W_2 = 0, no biases). Nothing "
      "but the residual is left, so the layer must return x itself.");
  Random random(seed, 2);
  const Tensor x = normal({1, 3, 8}, 2.0, random);
  EncoderLayer layer(pre_sizes, random);
  copy_into(layer.self_attention.w_o.weight, std::vector<float>(8 * 8, 0.0f));
  copy_into(layer.feed_forward.w_2.weight, std::vector<float>(8 * 16, 0.0f));
  agree("EncoderLayer with silent sub-layers, and x", layer(x, {}), x, 0);
  const Tensor overwritten = layer.self_attention_norm(x);
  const Tensor wrong = overwritten + layer.self_attention(overwritten, overwritten, {});
  const double lost = max_difference(wrong, x);
  claim(lost > 0.1, "overwriting x changes the result");
  say("With the mistake, the result of the first half of the layer differs from x by up to {}. The "
      "direct path from the last layer to the embedding is gone.",
      fixed(lost, 2));
  finding("Pre-norm adds x as it was, not norm(x): only the sub-layer reads norm(x)");
}

void the_stack(std::uint64_t seed) {
  section("What does a stack add to its layers?");
  Random random(seed, 3);
  const Tensor x = normal({2, 5, 8}, 1.0, random);
  Encoder pre = stirred(Encoder(3, pre_sizes, random), random);
  Encoder post = stirred(Encoder(3, post_sizes, random), random);
  say("Nothing but one norm at the end, and that with pre-norm only. Each layer maps (B, S, D) to "
      "(B, S, D), here (2, 5, 8), and has its own weights. Three layers:");
  Tensor a = x, b = x;
  for (int i = 0; i < 3; ++i) {
    a = pre.layers[static_cast<std::size_t>(i)](a, {});
    b = post.layers[static_cast<std::size_t>(i)](b, {});
  }
  agree("post-norm: Encoder, and layer after layer", post(x, {}), b);
  agree("pre-norm:  Encoder, and layer after layer, then final_norm", pre(x, {}),
        pre.final_norm(a));
  const std::vector<NamedParameter> names = parameters(pre);
  Table table({"parameters of layer 0", "shape"});
  for (const NamedParameter& parameter : names)
    if (parameter.name.starts_with("layers.0."))
      table.row({parameter.name, parameter.tensor->shape().str()});
  table.print();
  say("and so on for layers.1 and layers.2; in all {} tensors with {} numbers (post-norm, without "
      "final_norm: {}).",
      names.size(), parameter_count(names), parameter_count(parameters(post)));
  finding("A stack adds one norm after its last layer, with pre-norm only");
}

}  // namespace xf::lesson_05
