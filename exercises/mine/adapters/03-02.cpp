#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.layer_norm_backward.of = [](const auto&... in) {
    const auto d = xf::exercise::layer_norm_backward(in...);
    return xf::mine::Tensors{d.dx, d.dgamma, d.dbeta};
  };
}
