#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.encoder_layer.of = [](const auto& x, const auto& f, xf::NormOrder order) {
    const xf::exercise::EncoderParts layer{f.attention, f.norm_1, f.feed_forward, f.norm_2};
    return xf::exercise::encoder_layer(x, layer, order);
  };
}
