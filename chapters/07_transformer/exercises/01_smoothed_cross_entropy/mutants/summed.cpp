// en: the losses of the words were added up, but not divided by their number N
// zh: 把各词的损失加了起来，却没有除以词数 N

#include "exercise.hpp"

namespace xf::exercise {

float smoothed_cross_entropy(const xt::xtensor<float, 2>& logits, const std::vector<int>& targets,
                             float smoothing, int padding) {
  const int rows = static_cast<int>(targets.size()), words = static_cast<int>(logits.shape(1));
  const Tensor log_p = log_softmax(from_xt(logits));
  float total = 0;
  for (int r = 0; r < rows; ++r) {
    const int target = targets[static_cast<std::size_t>(r)];
    if (target == padding) continue;
    for (int v = 0; v < words; ++v) {
      const float q = (v == target ? 1 - smoothing : 0) + smoothing / float(words);
      total -= q * log_p.data(Cpu{})[r * words + v];
    }
  }
  return total;
}

}  // namespace xf::exercise
