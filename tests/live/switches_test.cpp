#include "live/switches.hpp"

#include <doctest/doctest.h>

#include "nn/parameters.hpp"
#include "support/close.hpp"

namespace xf::test {

namespace {

using live::Attention;
using live::SwitchedModel;
using live::Switches;

const TransformerConfig config{.source_vocabulary = 9,
                               .target_vocabulary = 9,
                               .d_model = 16,
                               .d_ff = 24,
                               .heads = 4,
                               .encoder_layers = 2,
                               .decoder_layers = 2,
                               .dropout = 0};
const Ids source({1, 5}, {4, 8, 5, 6, 2}), target({1, 4}, {1, 4, 7, 5});

Transformer fresh() {
  Random random(3);
  Transformer model(config, random);
  for (const NamedParameter& p : parameters(model))  // biases and betas, too
    if (p.tensor->rank() == 1)
      replace_each(*p.tensor, [&](float x) { return x + 0.3 * random.normal(); });
  return model;
}

// What a model whose attention is written out gives for the first layer of the encoder.
Tensor attended(const MultiHeadAttention& a, const Tensor& x, float factor, int left_out) {
  const Tensor q = split_heads(a.w_q(x), 4), k = split_heads(a.w_k(x), 4),
               v = split_heads(a.w_v(x), 4);
  const Tensor weights = softmax(matmul(q, k, Transpose::yes), {.scale = factor});
  Tensor heads = matmul(weights, v);  // (1, H, T, Dk)
  std::vector<float> numbers = heads.values();
  const auto of_a_head = static_cast<std::ptrdiff_t>(numbers.size() / 4);
  if (left_out >= 0) std::fill_n(numbers.begin() + left_out * of_a_head, of_a_head, 0.0f);
  heads = Tensor::from(heads.shape(), numbers);
  return a.w_o(merge_heads(heads));
}

}  // namespace

TEST_CASE("live: a head that is off passes nothing on; the others are as they were") {
  const Transformer model = fresh();
  const Transformer off = SwitchedModel(model, {.heads_off = {{Attention::encoder, 0, 2}}}).model;
  const Tensor x = model.embed(model.source_embedding, source);
  const MultiHeadAttention& attention = model.encoder.layers[0].self_attention;
  const Tensor want = attended(attention, x, 0.5f, 2);  // Dk = 4
  CHECK(difference("head 2 off", off.encoder.layers[0].self_attention(x, x, {}), want) == "");
  CHECK(difference("all on", attention(x, x, {}), attended(attention, x, 0.5f, -1)) == "");
  CHECK(off.encoder.layers[1].self_attention.w_o.weight.key() ==
        model.encoder.layers[1].self_attention.w_o.weight.key());
}

TEST_CASE("live: without the scale the softmax is that of the bare product") {
  const Transformer model = fresh(),
                    off = SwitchedModel(model, {.heads_off = {}, .scale = false}).model;
  const Tensor x = model.embed(model.source_embedding, source);
  const Tensor want = attended(model.encoder.layers[0].self_attention, x, 1.0f, -1);
  CHECK(difference("no scale", off.encoder.layers[0].self_attention(x, x, {}), want) == "");
}

TEST_CASE("live: without positions the embeddings stand alone") {
  const Transformer model = fresh(),
                    off = SwitchedModel(model, {.heads_off = {}, .positions = false}).model;
  CHECK(difference("no positions", off.embed(off.source_embedding, source),
                   model.source_embedding(source)) == "");
}

TEST_CASE("live: without the residual every block is norm(f(x))") {
  const Transformer model = fresh();
  const SwitchedModel off(model, {.heads_off = {}, .residual = false});
  Tensor memory = model.embed(model.source_embedding, source);
  for (const EncoderLayer& layer : model.encoder.layers) {
    memory = layer.self_attention_norm(layer.self_attention(memory, memory, {}));
    memory = layer.feed_forward_norm(layer.feed_forward(memory));
  }
  CHECK(difference("encoder", off.encode(source), memory) == "");
  Tensor x = model.embed(model.target_embedding, target);
  for (const DecoderLayer& layer : model.decoder.layers) {
    x = layer.self_attention_norm(layer.self_attention(x, x, causal_mask(4, 4)));
    x = layer.cross_attention_norm(layer.cross_attention(x, memory, {}));
    x = layer.feed_forward_norm(layer.feed_forward(x));
  }
  CHECK(difference("logits", off(source, target), model.output(x)) == "");
  CHECK(difference("the model itself", model(source, target), off(source, target)) != "");
}

TEST_CASE("live: without the mask the decoder sees what comes later, and nothing else changes") {
  const Transformer model = fresh();
  const SwitchedModel off(model, {.heads_off = {}, .mask = false});
  const Tensor memory = model.encode(source);
  const Tensor x = model.embed(model.target_embedding, target);
  const Tensor want = model.output(model.decoder(x, memory, {}, {}));
  CHECK(difference("logits", off(source, target), want) == "");
  CHECK(difference("with the mask", off(source, target), model(source, target)) != "");
}

TEST_CASE("live: without the mask every step of a search is computed anew, from the whole prefix") {
  const Ids sources({2, 3}, {4, 5, 2, 8, 2, 0});
  int longer = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Transformer model = fresh();
    Random random(seed);
    replace_each(model.output.weight, [&](float) { return 0.8 * random.normal(); });
    const SwitchedModel off(model, {.heads_off = {}, .mask = false});
    const std::vector<Hypothesis> found = off.translate(sources, {.extra_length = 4});
    for (int sentence = 0; sentence < 2; ++sentence) {
      const Ids row({1, 3}, {sources.begin() + 3 * sentence, 3});
      std::vector<std::int32_t> read{bos_id};
      const int limit = 2 * (3 - sentence) + 4;
      while (static_cast<int>(read.size()) <= limit) {
        const Tensor logits = off(row, Ids({1, static_cast<int>(read.size())}, read));
        const float* last = logits.values().end() - config.target_vocabulary;
        int best = eos_id;
        for (int word = special_count; word < config.target_vocabulary; ++word)
          if (last[word] > last[best]) best = word;
        if (best == eos_id) break;
        read.push_back(best);
      }
      CHECK(found[static_cast<std::size_t>(sentence)].tokens ==
            std::vector<int>(read.begin() + 1, read.end()));
      longer += read.size() > 2;
    }
  }
  CHECK(longer > 4);
}

}  // namespace xf::test
