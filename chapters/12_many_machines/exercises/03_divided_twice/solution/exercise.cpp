#include "exercise.hpp"

namespace xf::exercise {

float norm_of(const std::vector<float>& gradient) {
  double squares = 0;
  for (float g : gradient) squares += double(g) * g;
  return static_cast<float>(std::sqrt(squares));
}

Step step_of_batch(Endpoint& self, const Tensor& w, const Shard& own, float limit) {
  float tokens = 0;
  for (std::int32_t target : own.targets) tokens += target >= 0;
  self.add_up(std::span(&tokens, 1));
  const double divisor = std::max(tokens, 1.0f);

  Tape tape;
  const Tensor loss = cross_entropy(matmul(own.x, w), own.targets, {.divisor = divisor});
  Step step{loss.item(), 0, tape.backward(loss).of(w).values()};
  self.add_up(std::span(&step.loss, 1));
  self.add_up(step.gradient);

  step.norm = norm_of(step.gradient);
  if (step.norm > limit)
    for (float& g : step.gradient) g *= limit / step.norm;
  return step;
}

}  // namespace xf::exercise
