#include "09_since_2017/program/layer_walk.hpp"

#include "ops/matmul/matmul.hpp"

namespace xf::since_2017 {

namespace {

// What a layer's heads attended to, and their outputs, which W^O combines.
struct Handed {
  Tensor weights;  // (1, H, T, T)
  Tensor heads;    // (1, H, T, Dk)
};

Handed handed_by(const DecoderOnlyLayer& layer, const Tensor& x, const Tensor& turns) {
  const Recorder recorder({"weights", "values"});
  layer.attention(layer.attention_norm(x), turns);
  const Tensor weights = recorder.of("weights"), values = recorder.of("values");
  const int heads = layer.attention.heads, length = x.size(1);
  return {reshape(weights, {1, heads, length, length}),  // from (1, G, R*T, T)
          reshape(matmul(weights, values), {1, heads, length, values.size(3)})};
}

Tensor without_heads(const Tensor& handed, const std::vector<int>& heads) {
  Tensor rest = handed.clone();
  const std::vector<float> nothing(static_cast<std::size_t>(handed.count() / handed.size(1)));
  for (const int head : heads) copy_into(rest, nothing, head * std::ssize(nothing));
  return rest;
}

}  // namespace

LayerWalk::LayerWalk(const DecoderOnly& model, const std::vector<int>& ids) : model_(model) {
  const auto length = static_cast<int>(ids.size());
  Tensor x = embedding(Ids({1, length}, ids), model.tokens);  // (1, T, D)
  if (model.positions.defined())
    x = x + slice(model.positions, 0, 0, length);
  else
    turns_ = model.rotary.turns(0, length);
  streams_.push_back(x);
  for (const DecoderOnlyLayer& layer : model.layers) {
    weights_.push_back(handed_by(layer, streams_.back(), turns_).weights);
    streams_.push_back(layer(streams_.back(), turns_, nullptr));
  }
}

Tensor LayerWalk::without(const std::set<Head>& heads) const {
  if (heads.empty()) return streams_.back();
  const int first = heads.begin()->first;
  Tensor x = stream(first);
  for (int i = first; i < std::ssize(model_.layers); ++i) {
    const DecoderOnlyLayer& layer = model_.layers[static_cast<std::size_t>(i)];
    std::vector<int> here;
    for (const auto& [of_layer, head] : heads)
      if (of_layer == i) here.push_back(head);
    if (here.empty()) {
      x = layer(x, turns_, nullptr);
      continue;
    }
    const Tensor rest = without_heads(handed_by(layer, x, turns_).heads, here);
    const Tensor y = x + layer.attention.w_o(merge_heads(rest));  // (1, T, D)
    x = y + layer.feed_forward(layer.feed_forward_norm(y));
  }
  return x;
}

}  // namespace xf::since_2017
