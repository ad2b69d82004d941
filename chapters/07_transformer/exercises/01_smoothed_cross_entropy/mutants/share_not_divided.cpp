// en: every word got eps: it is eps / V each
// zh: 每个词都得了 eps：应各得 eps / V

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
    total += (1 - smoothing) * right + smoothing * all;
    ++counted;
  }
  return total / counted;
}

}  // namespace xf::exercise
