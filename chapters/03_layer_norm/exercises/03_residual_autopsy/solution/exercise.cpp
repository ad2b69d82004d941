#include "exercise.hpp"

namespace xf::exercise {

Tensor residual(const Tensor& input, const Layer& norm, const Layer& f) {
  return input + f(norm(input));
}

bool is_residual(const Block& block) {
  const Tensor x = Tensor::from({2, 3}, {1, -2, 4, 0.5f, 3, -1});
  const Layer norm = [](const Tensor& h) { return -0.5f * h; };
  const Layer f = [](const Tensor& h) { return h * h + 3.0f * h; };
  const Values y = block(x, norm, f).values(), from = x.values();
  for (std::ptrdiff_t i = 0; i < x.count(); ++i) {
    const float normed = -0.5f * from[i];
    if (!(std::abs(y[i] - (from[i] + normed * normed + 3 * normed)) <= 1e-4f)) return false;
  }
  return true;
}

}  // namespace xf::exercise
