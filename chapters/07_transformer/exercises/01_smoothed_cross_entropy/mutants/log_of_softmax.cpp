// en: the logarithm of a softmax that had become 0: use x - log sum exp
// zh: 对已经下溢成 0 的 softmax 取对数；应直接用 x - log sum exp

#include "exercise.hpp"

namespace xf::exercise {

float smoothed_cross_entropy(const xt::xtensor<float, 2>& logits, const std::vector<int>& targets,
                             float smoothing, int padding) {
  const int rows = static_cast<int>(targets.size()), words = static_cast<int>(logits.shape(1));
  Tensor log_p = softmax(from_xt(logits));
  for (std::ptrdiff_t i = 0; i < log_p.count(); ++i)
    log_p.data(Cpu{})[i] = std::log(log_p.data(Cpu{})[i]);
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
