#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.encoder_layer.of = [](const auto& x, xf::NormOrder order, const auto&... layers) {
    return xf::exercise::encoder_layer(x, {layers...}, order);
  };
}
