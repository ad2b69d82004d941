#pragma once

#include "01_embedding/positional_encoding.hpp"
#include "01_embedding/token_embedding.hpp"
#include "02_attention/multi_head_attention.hpp"
#include "03_layer_norm/residual.hpp"
#include "nn/parameters.hpp"

namespace xf::lesson_03 {

// How a residual block treats its input x.
enum class Block {
  post,         // norm(x + f(x))
  pre,          // x + f(norm(x))
  overwritten,  // norm(x) + f(norm(x)): a common mistake, x is lost
  no_residual,  // norm(f(x))
  no_norm,      // x + f(x)
  neither,      // f(x)
};

//   x: (..., D)   returns (..., D)
template <class SubLayer>
Tensor block(Block kind, const Tensor& x, const LayerNorm& norm, const SubLayer& f) {
  if (kind == Block::overwritten) {
    const Tensor normed = norm(x);
    return normed + f(normed);
  }
  if (kind == Block::no_residual) return norm(f(x));
  if (kind == Block::no_norm) return x + f(x);
  if (kind == Block::neither) return f(x);
  return residual(x, norm, kind == Block::post ? NormOrder::post : NormOrder::pre, 0.0f, f);
}

// Two residual blocks, attention and relu(x W_1) W_2, as in a Transformer layer. With
// Block::overwritten, only the attention block overwrites x.
struct Layer {
  MultiHeadAttention attention;
  LayerNorm attention_norm;
  Linear w_1, w_2;
  LayerNorm linear_norm;
  Block kind;

  Layer(int d_model, int heads, Block blocks, Random& random)
      : attention(d_model, heads, 0.0f, random),
        attention_norm(d_model),
        w_1(d_model, 4 * d_model, random),
        w_2(4 * d_model, d_model, random),
        linear_norm(d_model),
        kind(blocks) {}

  // x: (B, T, D)   returns (B, T, D)
  Tensor operator()(const Tensor& x) const {
    const auto attend = [&](const Tensor& h) { return attention(h, h, {}); };
    const auto transform = [&](const Tensor& h) { return w_2(relu(w_1(h))); };
    const Block second = kind == Block::overwritten ? Block::pre : kind;
    return block(second, block(kind, x, attention_norm, attend), linear_norm, transform);
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("attention", attention);
    v("attention_norm", attention_norm);
    v("w_1", w_1);
    v("w_2", w_2);
    v("linear_norm", linear_norm);
  }
};

// Whether a stack of such blocks ends in one more norm.
inline bool ends_in_norm(Block kind) { return kind == Block::pre || kind == Block::overwritten; }

// Ids to logits through a stack of layers; a pre-norm stack ends in one more norm.
struct BlockModel {
  TokenEmbedding table;  // (V, D)
  std::vector<Layer> layers;
  LayerNorm last_norm;
  Linear output;  // (V, D)

  BlockModel(int vocabulary, int d_model, int count, Block kind, Random& random)
      : table(vocabulary, d_model, random),
        last_norm(d_model),
        output(d_model, vocabulary, random) {
    for (int i = 0; i < count; ++i) layers.emplace_back(d_model, 4, kind, random);
  }

  // ids: (B, T)   returns logits (B, T, V)
  Tensor operator()(const Ids& ids) const {
    Tensor x = add_positions(table(ids));
    for (const Layer& layer : layers) x = layer(x);
    if (ends_in_norm(layers.front().kind)) x = last_norm(x);
    return output(x);
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("table", table);
    v("layers", layers);
    if (ends_in_norm(layers.front().kind)) v("last_norm", last_norm);
    v("output", output);
  }
};

}  // namespace xf::lesson_03
