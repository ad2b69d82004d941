#pragma once

#include "05_encoder/encoder_layer.hpp"
#include "05_encoder/stack.hpp"
#define Encoder EncoderOfTheBook
#include "chapters/05_encoder/encoder.hpp"
#undef Encoder

namespace xf {

struct Encoder : EncoderOfTheBook {
  using EncoderOfTheBook::EncoderOfTheBook;
  float input_dropout = 0;  // used if the model around it applies none
  Tensor operator()(const Tensor& x, const Mask& mask) const;
};

}  // namespace xf
