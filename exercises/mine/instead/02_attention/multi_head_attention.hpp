#pragma once

#include "02_attention/attend.hpp"
#include "nn/linear.hpp"
#define MultiHeadAttention MultiHeadAttentionOfTheBook
#include "chapters/02_attention/multi_head_attention.hpp"
#undef MultiHeadAttention

namespace xf {

struct MultiHeadAttention : MultiHeadAttentionOfTheBook {
  using MultiHeadAttentionOfTheBook::MultiHeadAttentionOfTheBook;
  float output_dropout = 0;  // used if the layer around it applies none
  Tensor operator()(const Tensor& x, const Tensor& to, const Mask& mask = {}) const;
  Tensor operator()(const Tensor& x, const KeysValues& to, const Mask& mask = {}) const {
    return MultiHeadAttentionOfTheBook::operator()(x, to, mask);
  }
};

}  // namespace xf
