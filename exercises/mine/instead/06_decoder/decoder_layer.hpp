#pragma once

#include "05_encoder/encoder_layer.hpp"
#include "06_decoder/key_value_cache.hpp"
#define DecoderLayer DecoderLayerOfTheBook
#include "chapters/06_decoder/decoder_layer.hpp"
#undef DecoderLayer

namespace xf {

struct DecoderLayer : DecoderLayerOfTheBook {
  using DecoderLayerOfTheBook::DecoderLayerOfTheBook;
  Tensor operator()(const Tensor& x, const Tensor& encoded, const Mask& self_mask,
                    const Mask& source_mask) const;
  Tensor operator()(const Tensor& x, const KeyValueCache::Layer& past,
                    const KeyValueCache::Layer& source) const;
};

}  // namespace xf
