// The layers, and the model, made of parts.

#include <algorithm>
#include <cmath>

#include "07_transformer/transformer.hpp"
#include "mine/parts.hpp"
#include "ops/dropout/bits.hpp"
#include "ops/dropout/dropout.hpp"
#include "text/corpus.hpp"

#undef dropout

namespace xf {

using namespace mine;

// ---- chapter 1 ----------------------------------------------------------------------------------

Tensor TokenEmbedding::operator()(const Ids& ids) const {
  const Parts& own = parts();
  const auto by_the_book = [s = scaled](const Ids& of, const Tensor& table) {
    const Tensor rows = embedding(of, table);
    return s ? scale(rows, std::sqrt(static_cast<float>(table.size(1)))) : rows;
  };
  if (!scaled || (!own.embed && !own.embed_backward)) return by_the_book(ids, weight);
  Tensor y;
  if (own.embed) {
    const WordIds words = xt::adapt(ids.values(), std::array{std::size_t(ids.count())});
    y = shaped(own.embed(words, to_xt<2>(weight)), {ids.size(0), ids.size(1), weight.size(1)});
  } else {
    y = by_the_book(ids, detach(weight));
  }
  constexpr Op op{"embedding of parts", "sqrt(D) times rows of the table",
                  "row dy_t is added to the row of its token"};
  return record(
      op, y, {&weight}, [=, table = detach(weight)](InputGradients& inputs, const Tensor& dy) {
        const auto of_table = [&](const std::vector<Tensor>& in) {
          return by_the_book(ids, in[0]);
        };
        inputs.add(0, parts().embed_backward ? parts().embed_backward(ids, dy, table.size(0))
                                             : gradients_of(of_table, {table}, dy)[0]);
      });
}

Tensor sinusoidal_positions(int length, int d_model, int first, PositionLayout layout,
                            double base) {
  if (!parts().positions || layout != PositionLayout::interleaved || base != 10000)
    return sinusoidal_positions_of_the_book(length, d_model, first, layout, base);
  const Matrix all = parts().positions(std::size_t(first + length), std::size_t(d_model));
  return slice(from_xt(all), 0, first, length);
}

// ---- chapters 3 and 4 ---------------------------------------------------------------------------

Tensor LayerNorm::operator()(const Tensor& x) const {
  const Parts& own = parts();
  if (!own.layer_norm && !own.layer_norm_backward) return LayerNormOfTheBook::operator()(x);
  const Tensor y =
      own.layer_norm
          ? shaped(own.layer_norm(rows_of(x), to_xt<1>(gamma), to_xt<1>(beta), eps), x.shape())
          : layer_norm(detach(x), detach(gamma), detach(beta), eps);
  constexpr Op op{"layer norm of parts", "gamma (x - mean) / sqrt(variance + eps) + beta",
                  "dx, dgamma, dbeta"};
  return record(op, y, {&x, &gamma, &beta},
                [=, e = eps, x_ = detach(x), g = detach(gamma), b = detach(beta)](
                    InputGradients& inputs, const Tensor& dy) {
                  if (parts().layer_norm_backward) {
                    const Shape rows{x_.shape().rows(), x_.size(-1)};
                    const NormGradients d =
                        parts().layer_norm_backward(x_.view(rows), g, dy.view(rows), e);
                    inputs.add(0, d.dx.view(x_.shape()));
                    inputs.add(1, d.dgamma);
                    inputs.add(2, d.dbeta);
                    return;
                  }
                  const auto by_the_book = [&](const std::vector<Tensor>& in) {
                    return layer_norm(in[0], in[1], in[2], e);
                  };
                  const auto d = gradients_of(by_the_book, {x_, g, b}, dy);
                  for (int i = 0; i < 3; ++i) inputs.add(i, d[std::size_t(i)]);
                });
}

Tensor FeedForward::operator()(const Tensor& x) const {
  const Parts& own = parts();
  const bool drops = dropout_rate > 0 && Training::active();
  const bool biased = w_1.bias.defined() && w_2.bias.defined();
  if (activation != Activation::relu || drops || !biased ||
      (!own.feed_forward && !own.feed_forward_backward))
    return mine::dropout(FeedForwardOfTheBook::operator()(x), output_dropout);
  const auto by_the_book = [](const std::vector<Tensor>& in) {
    return linear(relu(linear(in[0], in[1], in[2])), in[3], in[4]);
  };
  const std::vector<Tensor> in{detach(x), detach(w_1.weight), detach(w_1.bias), detach(w_2.weight),
                               detach(w_2.bias)};
  const Tensor y = own.feed_forward
                       ? shaped(own.feed_forward(rows_of(x), to_xt<2>(in[1]), to_xt<1>(in[2]),
                                                 to_xt<2>(in[3]), to_xt<1>(in[4])),
                                x.shape())
                       : by_the_book(in);
  constexpr Op op{"feed-forward of parts", "max(0, x W_1^T + b_1) W_2^T + b_2",
                  "dx, dW_1, db_1, dW_2, db_2"};
  const Tensor out =
      record(op, y, {&x, &w_1.weight, &w_1.bias, &w_2.weight, &w_2.bias},
             [=](InputGradients& inputs, const Tensor& dy) {
               if (parts().feed_forward_backward) {
                 const Shape rows{in[0].shape().rows(), in[0].size(-1)};
                 const Tensor from = in[0].view(rows), before = linear(from, in[1], in[2]);
                 const LayerGradients d =
                     parts().feed_forward_backward(from, before, in[1], in[3], dy.view(rows));
                 inputs.add(0, d.dx.view(in[0].shape()));
                 inputs.add(1, d.dw_1);
                 inputs.add(2, d.db_1);
                 inputs.add(3, d.dw_2);
                 inputs.add(4, d.db_2);
                 return;
               }
               const auto d = gradients_of(by_the_book, in, dy);
               for (int i = 0; i < 5; ++i) inputs.add(i, d[std::size_t(i)]);
             });
  return mine::dropout(out, output_dropout);
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
  explicit Traced(const Tensor& x) : known_{x} {}

  Tensor tensor_of(const Matrix& numbers) {
    const auto equals = [&](const auto& value) {
      std::ptrdiff_t i = 0;
      return std::all_of(numbers.begin(), numbers.end(),
                         [&](float number) { return number == value(i++); });
    };
    for (const Tensor& one : known_) {
      const Values a = one.values();
      if (equals([&](std::ptrdiff_t i) { return a[i]; })) return one;
    }
    for (std::size_t i = known_.size(); i-- > 0;)
      for (std::size_t j = 0; j <= i; ++j) {
        const Values a = known_[i].values(), b = known_[j].values();
        if (!equals([&](std::ptrdiff_t n) { return a[n] + b[n]; })) continue;
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
  std::vector<Tensor> known_;
};

}  // namespace

Tensor EncoderLayer::operator()(const Tensor& x, const Mask& mask) const {
  if (!parts().encoder_layer) return EncoderLayerOfTheBook::operator()(x, mask);
  Traced traced(x);
  const auto attend_self = [&](const Tensor& h) {
    const Scope scope("self_attention");
    return mine::dropout(self_attention(h, h, mask), dropout_rate);
  };
  const auto transform = [&](const Tensor& h) {
    return mine::dropout(feed_forward(h), dropout_rate);
  };
  const EncoderFunctions functions{traced.function(attend_self),
                                   traced.function(self_attention_norm), traced.function(transform),
                                   traced.function(feed_forward_norm)};
  return traced.tensor_of(parts().encoder_layer(rows_of(x), functions, order));
}

Tensor Encoder::operator()(const Tensor& x, const Mask& mask) const {
  return EncoderOfTheBook::operator()(mine::dropout(x, input_dropout), mask);
}

Tensor DecoderLayer::operator()(const Tensor& x, const Tensor& encoded, const Mask& self_mask,
                                const Mask& source_mask) const {
  if (!parts().decoder_layer || order != NormOrder::pre ||
      is_recorded())  // a recorder needs the names of both attentions
    return DecoderLayerOfTheBook::operator()(x, encoded, self_mask, source_mask);
  MultiHeadAttention to_itself = self_attention, to_source = cross_attention;
  FeedForward transform = feed_forward;
  to_itself.output_dropout = to_source.output_dropout = transform.output_dropout = dropout_rate;
  const DecoderLayers all{to_itself, self_attention_norm, to_source, cross_attention_norm,
                          transform, feed_forward_norm};
  return parts().decoder_layer(all, x, encoded, self_mask, source_mask);
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
        const int d = h.size(2);
        return gather_rows(all.rows().view({all.count(), d}), rows).view({h.size(0), before, d});
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

Tensor Decoder::operator()(const Tensor& x, const Tensor& encoded, const Mask& self_mask,
                           const Mask& source_mask) const {
  return DecoderOfTheBook::operator()(mine::dropout(x, input_dropout), encoded, self_mask,
                                      source_mask);
}

// ---- chapter 7 ----------------------------------------------------------------------------------

namespace {

// Packed sentences, unpacked side by side, with padding after the shorter ones; the new index of
// each word is appended to `places`.
Ids side_by_side(const Sentences& all, std::vector<int>& places) {
  if (!all.packed()) {
    for (int i = 0; i < int(all.ids.count()); ++i) places.push_back(i);
    return all.ids;
  }
  int longest = 0;
  const int count = static_cast<int>(all.starts.size()) - 1;
  const auto start = [&](int b) { return all.starts[static_cast<std::size_t>(b)]; };
  for (int b = 0; b < count; ++b) longest = std::max(longest, start(b + 1) - start(b));
  Ids rows = Ids::full({count, longest}, pad_id);
  for (int b = 0; b < count; ++b)
    for (int i = start(b); i < start(b + 1); ++i) {
      places.push_back(b * longest + i - start(b));
      rows[places.back()] = all.ids[i];
    }
  return rows;
}

bool as_the_exercise_has_it(const TransformerOfTheBook& m, const Sentences& source,
                            const Sentences& target) {
  return m.config.tied_output && !m.config.output_bias && m.config.scale_embeddings &&
         m.config.positions == PositionKind::sinusoidal && source.positions.empty() &&
         target.positions.empty();
}

}  // namespace

Tensor Transformer::operator()(const Sentences& source, const Sentences& target) const {
  if (!parts().logits || is_recorded() || !as_the_exercise_has_it(*this, source, target))
    return TransformerOfTheBook::operator()(source, target);
  Encoder dropping_encoder = encoder;
  Decoder dropping_decoder = decoder;
  dropping_encoder.input_dropout = dropping_decoder.input_dropout =
      static_cast<float>(config.dropout);
  std::vector<int> unused, places;
  const Ids from = side_by_side(source, unused), to = side_by_side(target, places);
  const ModelParts all{source_embedding.weight, target_embedding.weight, dropping_encoder,
                       dropping_decoder};
  const Tensor y = parts().logits(all, from, to);  // (B, T, Vt)
  if (!target.packed()) return y;
  const int words = y.size(-1);
  return reshape(gather_rows(reshape(y, {y.shape().rows(), words}), places),
                 {1, static_cast<int>(places.size()), words});
}

}  // namespace xf
