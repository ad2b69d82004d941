#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.feed_forward_backward.of = [](const auto&... in) {
    const auto d = xf::exercise::feed_forward_backward(in...);
    return xf::mine::Tensors{d.dx, d.dw_1, d.db_1, d.dw_2, d.db_2};
  };
}
