// en: the id of the padding was written into the code as 0: it is the argument padding
// zh: 填充的 id 在代码里写死成了 0：它是参数 padding

#include "exercise.hpp"

namespace xf::exercise {

float smoothed_cross_entropy(const xt::xtensor<float, 2>& logits, const std::vector<int>& targets,
                             float smoothing, int padding) {
  const float words = static_cast<float>(logits.shape(1));
  float total = 0, counted = 0;
  for (std::size_t r = 0; r < logits.shape(0); ++r) {
    if (targets[r] == 0) continue;
    const xt::xtensor<float, 1> x = xt::row(logits, r);
    const float largest = xt::amax(x)();
    const float log_sum = largest + std::log(xt::sum(xt::exp(x - largest))());
    const float right = log_sum - x(static_cast<std::size_t>(targets[r]));  // -log p of the target
    const float all = words * log_sum - xt::sum(x)();  // -log p, summed over the vocabulary
    total += (1 - smoothing) * right + smoothing / words * all;
    ++counted;
  }
  return total / counted;
}

}  // namespace xf::exercise
