#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.dropout.of = [](const auto& x, const auto& u, float p, bool training) {
    const auto dropped = xf::exercise::dropout_forward(x, u, p, training);
    return xf::mine::Dropped{dropped.y, dropped.mask};
  };
  parts.dropout_backward.of = [](const auto& dy, const auto& dropped) {
    return xf::exercise::dropout_backward(dy, {dropped.y, dropped.mask});
  };
}
