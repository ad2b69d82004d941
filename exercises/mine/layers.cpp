// The layers, and the model, made of parts.

#include <cmath>

#include "07_transformer/transformer.hpp"
#include "mine/parts.hpp"
#include "ops/dropout/bits.hpp"
#include "ops/dropout/dropout.hpp"
#include "text/batches.hpp"

#undef dropout

namespace xf {

using namespace mine;

// ---- chapter 1 ----------------------------------------------------------------------------------

Tensor TokenEmbedding::operator()(const Ids& ids) const {
  if (!scaled) return TokenEmbeddingOfTheBook::operator()(ids);
  OpOfParts whole{{"embedding of parts", "sqrt(D) times rows of the table",
                   "row dy_t is added to the row of its token"},
                  [=](const Tensors& in) {
                    const float root_d = std::sqrt(static_cast<float>(in[0].size(1)));
                    return scale(embedding(ids, in[0]), root_d);
                  }};
  whole.forward = if_any(parts().embed, [&](const Tensors& in) {
    const WordIds words = xt::adapt(ids.values(), std::array{std::size_t(ids.count())});
    const Matrix rows = parts().embed(words, to_xt<2>(in[0]));
    return shaped(rows, {ids.size(0), ids.size(1), in[0].size(1)});
  });
  whole.backward = if_any(parts().embed_backward, [=](const Tensors& in, const Tensor& dy) {
    return Tensors{parts().embed_backward(ids, dy, in[0].size(0))};
  });
  return whole({&weight});
}

// Multiplied by sqrt(D), as the exercise does, and therefore divided by it before.
Tensor mine::rows_of_table(const Ids& ids, const Tensor& table) {
  if (!parts().embed && !parts().embed_backward) return embedding(ids, table);
  Random unused(0);
  TokenEmbedding layer(table.size(0), table.size(1), unused);
  layer.weight = scale(table, 1 / std::sqrt(static_cast<float>(table.size(1))));
  return layer(ids);
}

Tensor sinusoidal_positions(int length, int d_model, int first, PositionLayout layout,
                            double base) {
  if (!parts().positions || layout != PositionLayout::interleaved || base != 10000)
    return sinusoidal_positions_of_the_book(length, d_model, first, layout, base);
  const Matrix all = parts().positions(std::size_t(first + length), std::size_t(d_model));
  return slice(from_xt(all), 0, first, length);
}

// ---- chapters 3 and 4 ---------------------------------------------------------------------------

// x as rows, (R, D).   x: (..., D)
static Tensor as_rows(const Tensor& x) { return x.view({x.shape().rows(), x.size(-1)}); }

Tensor LayerNorm::operator()(const Tensor& x) const {
  OpOfParts whole{{"layer norm of parts", "gamma (x - mean) / sqrt(variance + eps) + beta",
                   "dx, dgamma, dbeta"},
                  [e = eps](const Tensors& in) { return layer_norm(in[0], in[1], in[2], e); }};
  whole.forward = if_any(parts().layer_norm, [&](const Tensors& in) {
    return shaped(parts().layer_norm(rows_of(x), to_xt<1>(in[1]), to_xt<1>(in[2]), eps), x.shape());
  });
  whole.backward =
      if_any(parts().layer_norm_backward, [e = eps](const Tensors& in, const Tensor& dy) {
        return parts().layer_norm_backward(as_rows(in[0]), in[1], as_rows(dy), e);
      });
  return whole({&x, &gamma, &beta});
}

Tensor FeedForward::operator()(const Tensor& x) const {
  const bool drops = dropout_rate > 0 && Training::active();
  const bool biased = w_1.bias.defined() && w_2.bias.defined();
  if (activation != Activation::relu || drops || !biased)
    return mine::dropout(FeedForwardOfTheBook::operator()(x), output_dropout);
  OpOfParts whole{
      {"feed-forward of parts", "max(0, x W_1^T + b_1) W_2^T + b_2", "dx, dW_1, db_1, dW_2, db_2"},
      [](const Tensors& in) { return linear(relu(linear(in[0], in[1], in[2])), in[3], in[4]); }};
  whole.forward = if_any(parts().feed_forward, [&](const Tensors& in) {
    const Matrix y = parts().feed_forward(rows_of(x), to_xt<2>(in[1]), to_xt<1>(in[2]),
                                          to_xt<2>(in[3]), to_xt<1>(in[4]));
    return shaped(y, x.shape());
  });
  whole.backward = if_any(parts().feed_forward_backward, [](const Tensors& in, const Tensor& dy) {
    const Tensor from = as_rows(in[0]), before = linear(from, in[1], in[2]);
    return parts().feed_forward_backward(from, before, in[1], in[3], as_rows(dy));
  });
  const Tensor y = whole({&x, &w_1.weight, &w_1.bias, &w_2.weight, &w_2.bias});
  return mine::dropout(y, output_dropout);
}

// With the book's masks: u is below p exactly where the book drops a number.
Tensor mine::dropout(const Tensor& x, float p) {
  if (p == 0 || !Training::active()) return x;
  if (!parts().dropout) return xf::dropout(x, p);
  const kernel::DropoutMask mask(p, dropout_key(p));
  const float rate = static_cast<float>(mask.threshold) / 65536.0f;
  Matrix u = rows_of(x);
  std::ptrdiff_t i = 0;
  for (float& number : u) number = mask.factor(i++) == 0 ? 0.0f : std::nextafter(1.0f, 0.0f);
  const Dropped dropped = parts().dropout(rows_of(x), u, rate, true);
  constexpr Op op{"dropout of parts", "x * kept / (1 - rate)", "dx = dy * kept / (1 - rate)"};
  return record(op, shaped(dropped.y, x.shape()), {&x},
                [=](InputGradients& inputs, const Tensor& dy) {
                  inputs.add(0, shaped(parts().dropout_backward(rows_of(dy), dropped), dy.shape()));
                });
}

// ---- chapters 5 and 6 ---------------------------------------------------------------------------

namespace {

// The exercise of the encoder layer computes on plain numbers. The tensors behind them are
// identified by comparison: each input of a sub-layer, and the final output, equals an earlier
// tensor or the sum of two of them. This way, the tape can record the layer.
class Traced {
 public:
  explicit Traced(const Tensor& x) : known_{Tensor::zeros(x.shape()), x} {}

  Tensor tensor_of(const Matrix& numbers) {
    for (std::size_t i = known_.size(); i-- > 0;)
      for (std::size_t j = 0; j <= i; ++j) {
        const Matrix sum = rows_of(known_[i]) + rows_of(known_[j]);
        if (sum != numbers) continue;
        if (j == 0) return known_[i];
        known_.push_back(known_[j] + known_[i]);
        return known_.back();
      }
    throw UserError(
        "your 05-01 gives a sub-layer something that is neither x, nor what came out of a "
        "sub-layer, nor the sum of two of them");
  }
  template <class F>
  Layer function(const F& f) {
    return [this, f](const Matrix& numbers) {
      const Tensor y = f(tensor_of(numbers));
      known_.push_back(y);
      return rows_of(y);
    };
  }

 private:
  Tensors known_;  // the first is 0
};

}  // namespace

Tensor EncoderLayer::operator()(const Tensor& input, const Mask& mask) const {
  const Tensor x = mine::dropout(input, input_dropout);
  if (!parts().encoder_layer) return EncoderLayerOfTheBook::operator()(x, mask);
  Traced traced(x);
  const auto attend_self = [&](const Tensor& h) {
    const Scope scope("self_attention");
    return mine::dropout(self_attention(h, h, mask), dropout_rate);
  };
  const auto transform = [&](const Tensor& h) {
    return mine::dropout(feed_forward(h), dropout_rate);
  };
  return traced.tensor_of(parts().encoder_layer(
      rows_of(x), order, traced.function(attend_self), traced.function(self_attention_norm),
      traced.function(transform), traced.function(feed_forward_norm)));
}

Tensor DecoderLayer::operator()(const Tensor& input, const Tensor& encoded, const Mask& self_mask,
                                const Mask& source_mask) const {
  const Tensor x = mine::dropout(input, input_dropout);
  if (!parts().decoder_layer || order != NormOrder::pre ||
      is_recorded())  // a recorder needs the names of both attentions
    return DecoderLayerOfTheBook::operator()(x, encoded, self_mask, source_mask);
  DecoderLayer dropping = *this;
  dropping.self_attention.output_dropout = dropping.cross_attention.output_dropout =
      dropping.feed_forward.output_dropout = dropout_rate;
  return parts().decoder_layer(dropping, x, encoded, self_mask, source_mask);
}

// The exercise keeps the past of all sentences as one tensor, (B, t, D); the book keeps rows, and a
// list of the rows that each sentence sees.
Tensor DecoderLayer::operator()(const Tensor& x, const KeyValueCache::Layer& past,
                                const KeyValueCache::Layer& source) const {
  if (!parts().step) return DecoderLayerOfTheBook::operator()(x, past, source);
  const auto attend_self = [&](const Tensor& h) {
    const bool is_first =
        past.rows().k.count() == past.cache->listed;  // of the layers to reach this position
    const int before = static_cast<int>(past.seen()[0].size()) - (is_first ? 0 : 1);
    KeysValues kept;
    if (before > 0) {
      std::vector<int> rows;
      for (const std::vector<int>& seen : past.seen())
        rows.insert(rows.end(), seen.begin(), seen.begin() + before);
      const auto of = [&](const GrowingRows& all) {  // (N, D) to (B, t, D)
        const Tensor seen = gather_rows(all.rows().view(all.shape()), rows);
        return seen.view({h.size(0), before, all.width()});
      };
      kept = {of(past.rows().k), of(past.rows().v)};
    }
    const Tensor y = parts().step(self_attention, h, kept);
    if (!kept.k.defined() || kept.k.size(1) != before + 1 || kept.v.shape() != kept.k.shape())
      throw_of_part("06-03", "its cache has a different number of positions than were read");
    past.append(slice(kept.k, 1, before, 1), slice(kept.v, 1, before, 1));
    return y;
  };
  return blocks(x, attend_self,
                [&](const Tensor& h) { return attend_to_source(cross_attention, h, source); });
}

// ---- chapter 7 ----------------------------------------------------------------------------------

namespace {

// Packed sentences, unpacked side by side, with padding after the shorter ones.
Ids side_by_side(const Sentences& all) {
  if (!all.packed()) return all.ids;
  std::vector<Example> rows;
  for (std::size_t i = 0; i + 1 < all.starts.size(); ++i)
    rows.push_back({{all.ids.begin() + all.starts[i], all.ids.begin() + all.starts[i + 1]}, {}});
  return make_batch(rows, all_of(rows)).source;
}

}  // namespace

Tensor Transformer::operator()(const Sentences& source, const Sentences& target) const {
  const bool as_the_exercise_has_it = config.tied_output && !config.output_bias &&
                                      config.scale_embeddings &&
                                      config.positions == PositionKind::sinusoidal &&
                                      source.positions.empty() && target.positions.empty();
  if (!parts().logits || is_recorded() || !as_the_exercise_has_it)
    return TransformerOfTheBook::operator()(source, target);
  Encoder dropping_encoder = encoder;
  Decoder dropping_decoder = decoder;
  dropping_encoder.layers.at(0).input_dropout = dropping_decoder.layers.at(0).input_dropout =
      static_cast<float>(config.dropout);
  const Ids from = side_by_side(source), to = side_by_side(target);
  const Tensor y = parts().logits(source_embedding.weight, target_embedding.weight,
                                  dropping_encoder, dropping_decoder, from, to);  // (B, T, Vt)
  if (!target.packed()) return y;
  std::vector<int> places;  // of the words
  for (int i = 0; i < static_cast<int>(to.count()); ++i)
    if (to[i] != pad_id) places.push_back(i);
  const int words = y.size(-1);
  return reshape(gather_rows(reshape(y, {y.shape().rows(), words}), places),
                 {1, static_cast<int>(places.size()), words});
}

}  // namespace xf
