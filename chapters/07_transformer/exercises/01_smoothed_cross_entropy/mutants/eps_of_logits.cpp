// en: the smoothing was given to the logits: all V words share -log p
// zh: 平滑用在了 logits 上：由 V 个词平分的是 -log p

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
    const float all = -xt::sum(x)();
    total += (1 - smoothing) * right + smoothing / words * all;
    ++counted;
  }
  return total / counted;
}

}  // namespace xf::exercise
