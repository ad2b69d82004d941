#pragma once

#include "03_layer_norm/residual.hpp"
#include "04_feed_forward/feed_forward.hpp"

namespace xf {

// Which stacks end in one more norm: pre-norm ones (Vaswani et al. have none, because every block
// ends in a norm), all (torch.nn.Transformer), or none (Transformer-XL as published).
enum class FinalNorm { with_pre, always, never };

// The sizes that every layer of a stack shares.
struct LayerSizes {
  int d_model, d_ff, heads;
  float dropout = 0;
  NormOrder norm = NormOrder::post;
  Activation activation = Activation::relu;
  float eps = 1e-5f;
  FinalNorm final_norm = FinalNorm::with_pre;

  bool ends_in_norm() const {
    return final_norm == FinalNorm::with_pre ? norm == NormOrder::pre
                                             : final_norm == FinalNorm::always;
  }
};

}  // namespace xf
