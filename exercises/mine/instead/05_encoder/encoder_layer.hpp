#pragma once

#include "02_attention/mask.hpp"
#include "02_attention/multi_head_attention.hpp"
#include "03_layer_norm/residual.hpp"
#include "04_feed_forward/feed_forward.hpp"
#include "05_encoder/layer_sizes.hpp"
#define EncoderLayer EncoderLayerOfTheBook
#include "chapters/05_encoder/encoder_layer.hpp"
#undef EncoderLayer

namespace xf {

struct EncoderLayer : EncoderLayerOfTheBook {
  using EncoderLayerOfTheBook::EncoderLayerOfTheBook;
  Tensor operator()(const Tensor& x, const Mask& mask) const;
};

}  // namespace xf
