#pragma once

#include "05_encoder/encoder.hpp"
#include "06_decoder/decoder.hpp"
#define Transformer TransformerOfTheBook
#include "chapters/07_transformer/transformer.hpp"
#undef Transformer

namespace xf {

struct Transformer : TransformerOfTheBook {
  using TransformerOfTheBook::TransformerOfTheBook;
  Tensor operator()(const Sentences& source, const Sentences& target) const;
};

}  // namespace xf
