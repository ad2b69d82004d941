#pragma once

#include "05_encoder/stack.hpp"
#include "06_decoder/decoder_layer.hpp"
#define Decoder DecoderOfTheBook
#include "chapters/06_decoder/decoder.hpp"
#undef Decoder

namespace xf {

struct Decoder : DecoderOfTheBook {
  using DecoderOfTheBook::DecoderOfTheBook;
  using DecoderOfTheBook::operator();
  float input_dropout = 0;  // used if the model around it applies none
  Tensor operator()(const Tensor& x, const Tensor& encoded, const Mask& self_mask,
                    const Mask& source_mask) const;
};

}  // namespace xf
