// en: the last block was left out: the first dx is that of block blocks.size() - 1
// zh: 漏掉了最后一块：第一个 dx 属于第 blocks.size() - 1 块

#include "exercise.hpp"

namespace xf::exercise {

static Tensor forward(const Block& block, const Tensor& x, NormOrder order) {
  return order == NormOrder::post ? block.norm(x + block.f(x)) : x + block.f(block.norm(x));
}

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
  std::vector<Tensor> inputs = {x};
  for (const Block& block : blocks) inputs.push_back(forward(block, inputs.back(), order));
  Tensor dx = dy;
  for (std::size_t i = blocks.size() - 1; i-- > 0;)
    dx = block_backward(blocks[i], inputs[i], order, dx);
  return dx;
}

}  // namespace xf::exercise
