#pragma once

#include "05_encoder/encoder.hpp"

namespace xf::test {

// The layers of the encoder's and the decoder's goldens.
struct LayerVariant {
  const char* name;
  NormOrder norm;
  Activation activation;
};
constexpr LayerVariant layer_variants[] = {{"post", NormOrder::post, Activation::relu},
                                           {"pre", NormOrder::pre, Activation::gelu}};

inline LayerSizes sizes_of(const LayerVariant& v) {
  return {.d_model = 6, .d_ff = 10, .heads = 2, .norm = v.norm, .activation = v.activation};
}

}  // namespace xf::test
