#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.decoder_layer.of = [](const auto& l, const auto&... in) {
    return xf::exercise::decoder_layer(
        {l.self_attention, l.self_attention_norm, l.cross_attention, l.cross_attention_norm,
         l.feed_forward, l.feed_forward_norm},
        in...);
  };
}
