#include "support/test.hpp"
#include "exercise.hpp"

#include "05_encoder/encoder.hpp"

using namespace xf;

namespace {

// A layer of the engine as a function of matrices.
template <class Call>
exercise::Layer on_matrices(const Call& call) {
  return [call](const exercise::Matrix& x) {
    const Tensor in = from_xt(x);
    const Tensor out = call(in.view({1, in.size(0), in.size(1)}));
    return to_xt<2>(out.view(in.shape()));
  };
}

exercise::EncoderParts parts(const EncoderLayer& layer) {
  // Copies, and not the layer's own members: around those stands the whole layer.
  const auto attend = [attention = layer.self_attention](const Tensor& x) {
    return attention(x, x, {});
  };
  return {.attention = on_matrices(attend),
          .norm_1 = on_matrices(layer.self_attention_norm),
          .feed_forward = on_matrices(layer.feed_forward),
          .norm_2 = on_matrices(layer.feed_forward_norm)};
}

// Fresh norms are all alike: moved, so that it shows which of them was called.
Encoder stirred(int layers, NormOrder order) {
  Random random(81);
  Encoder encoder(layers, {.d_model = 6, .d_ff = 9, .heads = 2, .norm = order}, random);
  for (const NamedParameter& parameter : parameters(encoder))
    replace_each(*parameter.tensor,
                 [&](float x) { return x + static_cast<float>(0.3 * random.normal()); });
  return encoder;
}

NormOrder given(NormOrder usual) {
  return exercise::either(usual == NormOrder::pre) ? NormOrder::pre : NormOrder::post;
}

void check_layer(const std::string& name, NormOrder usual) {
  const NormOrder order = given(usual);
  const Encoder encoder = stirred(1, order);
  const int words = exercise::given(4, 2, 12);
  const Tensor x = exercise::random({words, 6}, 82, 2.0f);
  const auto wanted = [&] { return encoder.layers[0](x.view({1, words, 6}), {}); };
  COMPARE(name, wanted().view({words, 6}),
          exercise::encoder_layer(to_xt<2>(x), parts(encoder.layers[0]), order));
}

void check_stack(const std::string& name, int usual_depth, NormOrder usual) {
  const int depth = exercise::given(usual_depth, usual_depth + 2, usual_depth + 5),
            words = exercise::given(5, 2, 12);
  const NormOrder order = given(usual);
  const Encoder encoder = stirred(depth, order);
  const Tensor x = exercise::random({words, 6}, 83, 2.0f);
  std::vector<exercise::EncoderParts> layers;
  for (const EncoderLayer& layer : encoder.layers) layers.push_back(parts(layer));
  // A post-norm encoder moves no final norm: the one of a pre-norm encoder is offered instead.
  const LayerNorm norm = stirred(1, NormOrder::pre).final_norm;
  const LayerNorm last = order == NormOrder::pre ? encoder.final_norm : norm;
  COMPARE(name, encoder(x.view({1, words, 6}), {}).view({words, 6}),
          exercise::encoder(to_xt<2>(x), layers, on_matrices(last), order));
}

}  // namespace

TEST_CASE("post-norm: each sum is normalised") { check_layer("z, post", NormOrder::post); }

TEST_CASE("pre-norm: the sub-layers read norms, the sums are left alone") {
  check_layer("z, pre", NormOrder::pre);
}

TEST_CASE("a post-norm stack is done after its last layer") {
  check_stack("encoder(x), post", 3, NormOrder::post);
}

TEST_CASE("a pre-norm stack ends in one more norm") {
  check_stack("encoder(x), pre", 2, NormOrder::pre);
  check_stack("encoder(x), pre, one layer", 1, NormOrder::pre);
}
