// en: only the right word's share counts, 1 - eps: the other words have eps / V each
// zh: 只算了正确的词的 1 - eps：其余的词也各有 eps / V

#include "exercise.hpp"

namespace xf::exercise {

float smoothed_cross_entropy(const xt::xtensor<float, 2>& logits, const std::vector<int>& targets,
                             float smoothing, int padding) {
  float total = 0, counted = 0;
  for (std::size_t r = 0; r < logits.shape(0); ++r) {
    if (targets[r] == padding) continue;
    const xt::xtensor<float, 1> x = xt::row(logits, r);
    const float largest = xt::amax(x)();
    const float log_sum = largest + std::log(xt::sum(xt::exp(x - largest))());
    const float right = log_sum - x(static_cast<std::size_t>(targets[r]));  // -log p of the target
    total += (1 - smoothing) * right;
    ++counted;
  }
  return total / counted;
}

}  // namespace xf::exercise
