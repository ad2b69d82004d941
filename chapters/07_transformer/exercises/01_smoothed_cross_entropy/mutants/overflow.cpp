// en: the largest number was not subtracted: exp overflows
// zh: 没有先减去最大值：exp 溢出

#include "exercise.hpp"

namespace xf::exercise {

float smoothed_cross_entropy(const xt::xtensor<float, 2>& logits, const std::vector<int>& targets,
                             float smoothing, int padding) {
  const int rows = static_cast<int>(targets.size()), words = static_cast<int>(logits.shape(1));
  Tensor log_p = from_xt(logits);
  for (int r = 0; r < rows; ++r) {
    float* x = log_p.data(Cpu{}) + r * words;
    float sum = 0;
    for (int v = 0; v < words; ++v) sum += std::exp(x[v]);
    for (int v = 0; v < words; ++v) x[v] -= std::log(sum);
  }
  float total = 0, counted = 0;
  for (int r = 0; r < rows; ++r) {
    const int target = targets[static_cast<std::size_t>(r)];
    if (target == padding) continue;
    for (int v = 0; v < words; ++v) {
      const float q = (v == target ? 1 - smoothing : 0) + smoothing / float(words);
      total -= q * log_p.data(Cpu{})[r * words + v];
    }
    ++counted;
  }
  return total / counted;
}

}  // namespace xf::exercise
