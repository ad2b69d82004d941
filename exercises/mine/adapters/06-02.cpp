#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.decoder_layer.of = [](const auto& l, const auto& x, const auto& encoded,
                              const auto& self_mask, const auto& source_mask) {
    return xf::exercise::decoder_layer({l.self_attention, l.self_norm, l.cross_attention,
                                        l.cross_norm, l.feed_forward, l.feed_forward_norm},
                                       x, encoded, self_mask, source_mask);
  };
}
