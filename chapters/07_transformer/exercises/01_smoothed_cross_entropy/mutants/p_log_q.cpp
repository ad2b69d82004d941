// en: p and q are swapped: the loss is -sum q log p, the logarithm is the model's
// zh: p 和 q 弄反了：损失是 -sum q log p，取对数的是模型的 p

#include "exercise.hpp"

namespace xf::exercise {

float smoothed_cross_entropy(const xt::xtensor<float, 2>& logits, const std::vector<int>& targets,
                             float smoothing, int padding) {
  const int rows = static_cast<int>(targets.size()), words = static_cast<int>(logits.shape(1));
  const Tensor p = softmax(from_xt(logits));
  float total = 0, counted = 0;
  for (int r = 0; r < rows; ++r) {
    const int target = targets[static_cast<std::size_t>(r)];
    if (target == padding) continue;
    for (int v = 0; v < words; ++v) {
      const float q = (v == target ? 1 - smoothing : 0) + smoothing / float(words);
      total -= p.data(Cpu{})[r * words + v] * std::log(q);
    }
    ++counted;
  }
  return total / counted;
}

}  // namespace xf::exercise
