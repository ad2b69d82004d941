#include "exercise.hpp"

namespace xf::exercise {

Tensor decoder_layer(const DecoderParts& layer, const Tensor& x, const Tensor& encoded,
                     const Mask& self_mask, const Mask& source_mask) {
  TODO("06-02: my/06-02_decoder_layer.cpp");
}

Tensor decoder(const std::vector<DecoderParts>& layers, const LayerNorm& final_norm,
               const Tensor& x, const Tensor& encoded, const Mask& self_mask,
               const Mask& source_mask) {
  TODO("06-02: my/06-02_decoder_layer.cpp");
}

}  // namespace xf::exercise
