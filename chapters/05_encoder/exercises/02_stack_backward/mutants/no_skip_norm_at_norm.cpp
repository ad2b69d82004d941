// en: two mistakes: with pre-norm dy itself is missing from dx, and norm_back was called at
//     norm(x) instead of x
// zh: 两处错：pre-norm 时 dx 里漏了 dy 本身，并且 norm_back 在 norm(x) 处调用了，应在 x 处

#include "exercise.hpp"

namespace xf::exercise {

static Tensor forward(const Block& block, const Tensor& x, NormOrder order) {
  return order == NormOrder::post ? block.norm(x + block.f(x)) : x + block.f(block.norm(x));
}

static Tensor block_backward(const Block& block, const Tensor& x, NormOrder order,
                             const Tensor& dy) {
  if (order == NormOrder::pre) {
    const Tensor dn = block.f_back(block.norm(x), dy);
    return block.norm_back(block.norm(x), dn);
  }
  const Tensor ds = block.norm_back(x + block.f(x), dy);
  return ds + block.f_back(x, ds);
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
