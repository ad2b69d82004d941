// Lesson 6, sections 3 and 4: one decoder layer, and cross attention.

#include "02_attention/mask.hpp"
#include "05_encoder/lesson.hpp"
#include "06_decoder/equations.hpp"
#include "06_decoder/lesson.hpp"
#include "language/language.hpp"
#include "speech/show.hpp"

namespace xf::lesson_06 {
namespace {

using equations::Matrix;
using lesson_05::stirred;

LayerSizes sizes_with(NormOrder order) {
  return {.d_model = 8, .d_ff = 16, .heads = 2, .norm = order};
}

// A mask (1, T|1, S) as a matrix (T, S).
Matrix matrix_of(const Mask& mask, int queries) {
  const Ids allowed = mask.allowed();
  const int rows = allowed.size(1), columns = allowed.size(2);
  Matrix matrix =
      xt::zeros<float>({static_cast<std::size_t>(queries), static_cast<std::size_t>(columns)});
  for (int t = 0; t < queries; ++t)
    for (int s = 0; s < columns; ++s)
      matrix(t, s) = static_cast<float>(allowed[(rows == 1 ? 0 : t) * columns + s]);
  return matrix;
}

Tensor by_equation(const Tensor& x, const Tensor& encoded, const Mask& self_mask,
                   const Mask& source_mask, const DecoderLayer& layer) {
  const auto sentence = [](const Tensor& t) { return to_xt<2>(t.view({t.size(1), t.size(2)})); };
  return from_xt(equations::decoder_layer(sentence(x), sentence(encoded),
                                          matrix_of(self_mask, x.size(1)),
                                          matrix_of(source_mask, x.size(1)), layer))
      .view(x.shape());
}

}  // namespace

void one_layer(std::uint64_t seed) {
  section("What does a decoder layer add to an encoder layer?");
  say("A causal mask in its self-attention, and a second attention that queries the encoder's "
      "output (encoded). T = 3 target words, S = 5 source words of which the last is padding, D = "
      "8, 2 heads:");
  equation(
      "y   = norm_1(x + SelfAttention(x))             causal mask, queries and keys from x\n"
      "z   = norm_2(y + CrossAttention(y, encoded))   padding mask, keys from encoded\n"
      "out = norm_3(z + FFN(z))                       Vaswani et al. 2017, 3.1");
  Random random(seed, 1);
  const Tensor x = normal({1, 3, 8}, 1.0, random), encoded = normal({1, 5, 8}, 1.0, random);
  const Mask causal = causal_mask(3, 3);
  const Mask source_mask = padding_mask(Ids({1, 5}, {4, 5, 6, eos, pad}), pad);
  const DecoderLayer post = stirred(DecoderLayer(sizes_with(NormOrder::post), random), random);
  const DecoderLayer pre = stirred(DecoderLayer(sizes_with(NormOrder::pre), random), random);

  Recorder recorder({"weights"});
  const Tensor attended = post.self_attention(x, x, causal);
  const Tensor self_weights = recorder.of("weights");
  const Tensor y = post.self_attention_norm(x + attended);
  const Tensor asked = post.cross_attention(y, encoded, source_mask);
  const Tensor cross_weights = recorder.of("weights");
  const Tensor z = post.cross_attention_norm(y + asked);
  const Tensor out = post.feed_forward_norm(z + post.feed_forward(z));
  const std::vector<std::string> words = {"<bos>", "I", "love"};
  show("self-attention weights, (B, H, T, T)", self_weights, {.rows = words, .columns = words});
  show("cross attention weights, (B, H, T, S)", cross_weights,
       {.rows = words, .columns = {"我", "爱", "北京", "<eos>", "<pad>"}});
  show("output, (B, T, D): as long as the target", out, {.rows = words});
  agree("DecoderLayer, and these steps", post(x, encoded, causal, source_mask), out);
  say("The same in xtensor, with the functions of lessons 4 and 5:");
  equation(
      "y   = layer_norm(x + multi_head(x, x, causal, self_attention), norm_1);\n"
      "z   = layer_norm(y + multi_head(y, encoded, source_mask, cross_attention), norm_2);\n"
      "out = layer_norm(z + feed_forward(z), norm_3);");
  agree("post-norm: DecoderLayer and equation", post(x, encoded, causal, source_mask),
        by_equation(x, encoded, causal, source_mask, post));
  agree("pre-norm:  DecoderLayer and equation", pre(x, encoded, causal, source_mask),
        by_equation(x, encoded, causal, source_mask, pre));
  finding("A decoder layer adds a causal mask and a second attention, over the encoder's output");
}

void cross_attention(std::uint64_t seed) {
  section("Cross attention: who asks, and who answers?");
  say("The queries come from the target (T rows), the keys and values from the source (S rows). "
      "The result has T rows. B = 2, T = 3, S = 5:");
  Random random(seed, 2);
  const MultiHeadAttention cross(8, 2, 0, random);
  const Tensor x = normal({2, 3, 8}, 1.0, random), encoded = normal({2, 5, 8}, 1.0, random);
  Recorder recorder({"weights"});
  const auto weights = [&] { return recorder.of("weights").shape().str(); };  // of the last call
  const Tensor right = cross(x, encoded, {});
  Table table({"", "queries", "keys, values", "weights", "result"});
  table.row({"cross(x, encoded)", x.shape().str(), encoded.shape().str(), weights(),
             right.shape().str()});
  const Tensor swapped = cross(encoded, x, {});
  table.row({"cross(encoded, x), a mistake", encoded.shape().str(), x.shape().str(), weights(),
             swapped.shape().str()});
  table.print();
  const Phrase message = refusal([&] { x + swapped; });
  claim(!message.empty(), "adding (2, 5, 8) to (2, 3, 8) is refused");
  say("If they are swapped (easily done, because only their places in the call tell them apart), "
      "the residual sum fails:");
  quote(message);
  const Tensor as_long = normal({2, 3, 8}, 1.0, random);
  const double silent = max_difference(cross(x, as_long, {}), cross(as_long, x, {}));
  claim(silent > 1e-2, "swapping the arguments changes the result");
  say("That is so only as long as T and S differ. With T = S = 3 there is no error, and the result "
      "is off by {}. So test with T and S different.",
      fixed(silent, 2));

  say("Cross attention needs the source's padding mask too. Fill the padded position (the fifth "
      "word of sentence 0) with another vector:");
  const Ids source({2, 5}, {4, 5, 6, eos, pad, 4, 5, 6, 7, eos});
  Tensor changed = encoded.clone();
  copy_into(changed, std::vector<float>(8, 1.0f), 4 * 8);
  const Mask mask = padding_mask(source, pad);
  agree("with the mask (2, 1, 5): before and after", cross(x, encoded, mask),
        cross(x, changed, mask));
  const double leak = max_difference(cross(x, encoded, {}), cross(x, changed, {}));
  claim(leak > 1e-3, "without the mask padding leaks into cross attention");
  say("Without it the output moves by {}.", fixed(leak, 2));
  finding(
      "Cross attention: T queries, S keys, (T, S) weights, and the source's padding mask again");
}

}  // namespace xf::lesson_06
