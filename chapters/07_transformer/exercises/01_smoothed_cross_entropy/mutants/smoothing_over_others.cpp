// en: smoothing went to the other V - 1 words only: it is eps / V for all V
// zh: 平滑只分给了其余 V - 1 个词；应是全部 V 个词各得 eps / V

#include "exercise.hpp"

namespace xf::exercise {

float smoothed_cross_entropy(const xt::xtensor<float, 2>& logits, const std::vector<int>& targets,
                             float smoothing, int padding) {
  const int rows = static_cast<int>(targets.size()), words = static_cast<int>(logits.shape(1));
  const Tensor log_p = log_softmax(from_xt(logits));
  float total = 0, counted = 0;
  for (int r = 0; r < rows; ++r) {
    const int target = targets[static_cast<std::size_t>(r)];
    if (target == padding) continue;
    for (int v = 0; v < words; ++v) {
      const float q = v == target ? 1 - smoothing : smoothing / float(words - 1);
      total -= q * log_p.data(Cpu{})[r * words + v];
    }
    ++counted;
  }
  return total / counted;
}

}  // namespace xf::exercise
