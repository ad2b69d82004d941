#include "exercise.hpp"

namespace xf::exercise {

float clip(Tensors& gradients, float limit) {
  double squares = 0;
  for (const auto& gradient : gradients)
    for (float g : gradient) squares += double(g) * g;
  const double norm = std::sqrt(squares);
  if (norm > limit && std::isfinite(norm))
    for (auto& gradient : gradients) gradient *= static_cast<float>(limit / norm);
  return static_cast<float>(norm);
}

bool step(Tensors& parameters, Tensors& gradients, float rate, float limit) {
  if (!std::isfinite(clip(gradients, limit))) return false;
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] -= rate * gradients[i];
  return true;
}

}  // namespace xf::exercise
