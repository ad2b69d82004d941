#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.feed_forward_backward.of = [](const auto& x, const auto& before, const auto& w_1,
                                      const auto& w_2, const auto& dy) {
    const auto d = xf::exercise::feed_forward_backward(x, before, w_1, w_2, dy);
    return xf::mine::LayerGradients{d.dx, d.dw_1, d.db_1, d.dw_2, d.db_2};
  };
}
