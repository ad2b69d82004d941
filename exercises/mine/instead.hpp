#pragma once

#include "02_attention/attention.hpp"
#include "nn/linear.hpp"
#include "ops/attention/packed_attention.hpp"
#include "ops/heads/heads.hpp"

// The layers of the translator that call the learner's parts, under the names of the book's, which
// they replace: these are renamed. A part is compiled with them, too.
#define sinusoidal_positions sinusoidal_positions_of_the_book
#define add_positions add_positions_of_the_book
#define PositionTable PositionTableOfTheBook
#define TokenEmbedding TokenEmbeddingOfTheBook
#define attend attend_of_the_book
#define padding_mask padding_mask_of_the_book
#define LayerNorm LayerNormOfTheBook
#define FeedForward FeedForwardOfTheBook
#include "01_embedding/positional_encoding.hpp"
#include "01_embedding/token_embedding.hpp"
#include "02_attention/attend.hpp"
#include "02_attention/mask.hpp"
#include "03_layer_norm/layer_norm.hpp"
#include "04_feed_forward/feed_forward.hpp"
#undef sinusoidal_positions
#undef add_positions
#undef PositionTable
#undef TokenEmbedding
#undef attend
#undef padding_mask
#undef LayerNorm
#undef FeedForward

namespace xf {

Tensor sinusoidal_positions(int length, int d_model, int first = 0,
                            PositionLayout layout = PositionLayout::interleaved,
                            double base = 10000);

inline Tensor add_positions(const Tensor& x, int first = 0) {
  return x + sinusoidal_positions(x.size(1), x.size(2), first);
}

struct PositionTable : PositionTableOfTheBook {
  PositionTable(int length, int d_model) : PositionTableOfTheBook(length, d_model) {
    rows = sinusoidal_positions(length, d_model);
  }
};

struct TokenEmbedding : TokenEmbeddingOfTheBook {
  using TokenEmbeddingOfTheBook::TokenEmbeddingOfTheBook;
  Tensor operator()(const Ids& ids) const;
};

Tensor attend(const Tensor& q, const KeysValues& to, const AttendOptions& options);

Mask padding_mask(const Ids& ids, std::int32_t pad);

struct LayerNorm : LayerNormOfTheBook {
  using LayerNormOfTheBook::LayerNormOfTheBook;
  Tensor operator()(const Tensor& x) const;
};

struct FeedForward : FeedForwardOfTheBook {
  using FeedForwardOfTheBook::FeedForwardOfTheBook;
  float output_dropout = 0;  // used if the layer around it applies none
  Tensor operator()(const Tensor& x) const;
};

}  // namespace xf

#define MultiHeadAttention MultiHeadAttentionOfTheBook
#include "02_attention/multi_head_attention.hpp"
#undef MultiHeadAttention

namespace xf {

struct MultiHeadAttention : MultiHeadAttentionOfTheBook {
  using MultiHeadAttentionOfTheBook::MultiHeadAttentionOfTheBook;
  float output_dropout = 0;  // used if the layer around it applies none
  using MultiHeadAttentionOfTheBook::operator();
  Tensor operator()(const Tensor& x, const Tensor& to, const Mask& mask = {}) const;
};

}  // namespace xf

#define EncoderLayer EncoderLayerOfTheBook
#define DecoderLayer DecoderLayerOfTheBook
#include "05_encoder/encoder_layer.hpp"
#include "06_decoder/decoder_layer.hpp"
#undef EncoderLayer
#undef DecoderLayer

namespace xf {

struct EncoderLayer : EncoderLayerOfTheBook {
  using EncoderLayerOfTheBook::EncoderLayerOfTheBook;
  float input_dropout = 0;  // used if the model around it applies none
  Tensor operator()(const Tensor& input, const Mask& mask) const;
};

struct DecoderLayer : DecoderLayerOfTheBook {
  using DecoderLayerOfTheBook::DecoderLayerOfTheBook;
  float input_dropout = 0;  // used if the model around it applies none
  Tensor operator()(const Tensor& input, const Tensor& encoded, const Mask& self_mask,
                    const Mask& source_mask) const;
  Tensor operator()(const Tensor& x, const KeyValueCache::Layer& past,
                    const KeyValueCache::Layer& source) const;
};

}  // namespace xf

#include "05_encoder/encoder.hpp"
#include "06_decoder/decoder.hpp"
