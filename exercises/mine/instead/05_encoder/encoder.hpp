#pragma once

#include "05_encoder/encoder_layer.hpp"
#include "05_encoder/stack.hpp"
#define Encoder EncoderOfTheBook
#include "chapters/05_encoder/encoder.hpp"
#undef Encoder

namespace xf {

struct Encoder : EncoderOfTheBook {
  using EncoderOfTheBook::EncoderOfTheBook;
  float input_dropout = 0;  // where the model around it knows of none
  Tensor operator()(const Tensor& x, const Mask& mask) const;
};

}  // namespace xf
