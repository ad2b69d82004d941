// en: the smoothing was read as per cent: 0.1 is a tenth
// zh: 把平滑系数当成了百分数：0.1 就是十分之一

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
    const float all = words * log_sum - xt::sum(x)();  // -log p, summed over the vocabulary
    total += (1 - smoothing / 100) * right + smoothing / 100 / words * all;
    ++counted;
  }
  return total / counted;
}

}  // namespace xf::exercise
