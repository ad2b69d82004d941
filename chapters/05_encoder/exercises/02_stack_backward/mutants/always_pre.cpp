// en: the order was not looked at: post is walked back as pre
// zh: 没有看 order：post 也按 pre 反传了

#include "exercise.hpp"

namespace xf::exercise {

static Tensor forward(const Block& block, const Tensor& x, NormOrder order) {
  return order == NormOrder::post ? block.norm(x + block.f(x)) : x + block.f(block.norm(x));
}

static Tensor block_backward(const Block& block, const Tensor& x, NormOrder order,
                             const Tensor& dy) {
  const Tensor dn = block.f_back(block.norm(x), dy);
  return dy + block.norm_back(x, dn);
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
