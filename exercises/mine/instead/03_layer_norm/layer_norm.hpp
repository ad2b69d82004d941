#pragma once

#define LayerNorm LayerNormOfTheBook
#include "chapters/03_layer_norm/layer_norm.hpp"
#undef LayerNorm

namespace xf {

struct LayerNorm : LayerNormOfTheBook {
  using LayerNormOfTheBook::LayerNormOfTheBook;
  Tensor operator()(const Tensor& x) const;
};

}  // namespace xf
