#include "ops/rotary/rotary.hpp"

#include "ops/check.hpp"
#include "ops/rotary/kernels.hpp"

namespace xf {

Tensor rotate(const Tensor& x, const Tensor& turns) {
  require(x.rank() == 3 && turns.rank() == 2 && turns.size(0) == x.size(1) && turns.size(1) > 0 &&
              turns.size(1) % 2 == 0 && x.size(2) % turns.size(1) == 0,
          "rotate", [&] {
            return "x (B, T, H*Dk) and turns (T, Dk) with an even Dk wanted: x is " +
                   x.shape().str() + ", the turns are " + turns.shape().str();
          });
  const Device device = common_device("rotate", x, turns);
  const auto turned = [=](const Tensor& from, float direction, Tensor to) {
    dispatch(device, [&](auto on) {
      const kernel::Turns table{turns.data(on), turns.size(0), turns.size(1), direction};
      kernel::rotate(on, from.data(on), table, to.data(on), from.shape().rows(), from.size(-1));
    });
    return to;
  };
  constexpr Op op{"rotate", "each pair turned by its position's angle", "dx = dy, turned back"};
  return record(op, turned(x, 1, Tensor::empty(x.shape(), device)), {&x},
                [turned](InputGradients& inputs, const Tensor& dy) {
                  inputs.add(0, turned(dy, -1, reuse(dy)));
                });
}

}  // namespace xf
