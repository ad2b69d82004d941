// en: the smoothing was added inside the logarithm, log(p + eps): it is a share of q, no guard
//     against log 0
// zh: 平滑系数加在了对数里，log(p + eps)：它是 q 中的一份，不是防止 log 0 的小数

#include "exercise.hpp"

namespace xf::exercise {

float smoothed_cross_entropy(const xt::xtensor<float, 2>& logits, const std::vector<int>& targets,
                             float smoothing, int padding) {
  const float words = static_cast<float>(logits.shape(1));
  float total = 0, counted = 0;
  for (std::size_t r = 0; r < logits.shape(0); ++r) {
    if (targets[r] == padding) continue;
    const xt::xtensor<float, 1> x = xt::row(logits, r);
    const float largest = xt::amax(x)();
    const float log_sum = largest + std::log(xt::sum(xt::exp(x - largest))());
    const float right = log_sum - x(static_cast<std::size_t>(targets[r]));  // -log p of the target
    total -= std::log(std::exp(-right) + smoothing);
    ++counted;
  }
  return total / counted;
}

}  // namespace xf::exercise
