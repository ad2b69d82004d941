// en: smoothing was spread over V - 2 words, without the right one and padding, as in a
//     well-known code: here it is over all V
// zh: 平滑的份额分给了 V - 2 个词（除去正确的词和填充），如一份常见代码那样：这里分给全部 V 个词

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
    for (int v = 0; v < static_cast<int>(words); ++v) {
      const float other = v == padding ? 0 : smoothing / (words - 2);
      total += (v == targets[r] ? 1 - smoothing : other) * (log_sum - logits(r, v));
    }
    ++counted;
  }
  return total / counted;
}

}  // namespace xf::exercise
