// en: the chain was walked forwards in both orders: what came last in the forward comes first on
//     the way back
// zh: 两种顺序都把链走反了：前向的最后一步，反向要最先走

#include "exercise.hpp"

namespace xf::exercise {

static Tensor forward(const Block& block, const Tensor& x, NormOrder order) {
  return order == NormOrder::post ? block.norm(x + block.f(x)) : x + block.f(block.norm(x));
}

static Tensor block_backward(const Block& block, const Tensor& x, NormOrder order,
                             const Tensor& dy) {
  if (order == NormOrder::pre) {
    const Tensor dn = block.norm_back(x, dy);
    return dy + block.f_back(block.norm(x), dn);
  }
  const Tensor ds = dy + block.f_back(x, dy);
  return block.norm_back(x + block.f(x), ds);
}

Tensor stack_backward(const Tensor& x, const std::vector<Block>& blocks, NormOrder order,
                      const Tensor& dy) {
  std::vector<Tensor> inputs = {x};
  for (const Block& block : blocks) inputs.push_back(forward(block, inputs.back(), order));
  Tensor dx = dy;
  for (std::size_t i = blocks.size(); i-- > 0;)
    dx = block_backward(blocks[i], inputs[i], order, dx);
  return dx;
}

}  // namespace xf::exercise
