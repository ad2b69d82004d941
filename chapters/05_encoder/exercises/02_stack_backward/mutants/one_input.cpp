// en: every block was asked at the first x: each must be asked at its own input
// zh: 每一块都在最初的 x 处求了导：每块要在自己的输入处求导

#include "exercise.hpp"

namespace xf::exercise {

static Tensor block_backward(const Block& block, const Tensor& x, NormOrder order,
                             const Tensor& dy) {
  if (order == NormOrder::pre) {
    const Tensor dn = block.f_back(block.norm(x), dy);
    return dy + block.norm_back(x, dn);
  }
  const Tensor ds = block.norm_back(x + block.f(x), dy);
  return ds + block.f_back(x, ds);
}

Tensor stack_backward(const Tensor& x, const std::vector<Block>& blocks, NormOrder order,
                      const Tensor& dy) {
  Tensor dx = dy;
  for (std::size_t i = blocks.size(); i-- > 0;) dx = block_backward(blocks[i], x, order, dx);
  return dx;
}

}  // namespace xf::exercise
