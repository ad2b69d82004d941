#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> cross_entropy_backward(const xt::xtensor<float, 2>& logits,
                                             const std::vector<int>& targets, float smoothing,
                                             int padding) {
  const std::size_t words = logits.shape(1);
  const auto padded = std::count(targets.begin(), targets.end(), padding);
  const float counted = static_cast<float>(targets.size()) - static_cast<float>(padded);
  xt::xtensor<float, 2> dx = xt::zeros<float>(logits.shape());
  for (std::size_t r = 0; r < targets.size(); ++r) {
    if (targets[r] == padding) continue;
    const float largest = xt::amax(xt::row(logits, r))();
    float total = 0;
    for (std::size_t v = 0; v < words; ++v) total += std::exp(logits(r, v) - largest);
    for (std::size_t v = 0; v < words; ++v) {
      const float p = std::exp(logits(r, v) - largest) / total;
      const float right = static_cast<int>(v) == targets[r] ? 1.0f : 0.0f;
      const float q = smoothing / static_cast<float>(words) + (1 - smoothing) * right;
      dx(r, v) = (p - q) / counted;
    }
  }
  return dx;
}

}  // namespace xf::exercise
