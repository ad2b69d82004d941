#include "exercise.hpp"

namespace xf::exercise {

Ids draw_windows(const Text& text, int batch, int length, Random& random) {
  const int places = static_cast<int>(text.size()) - length + 1;
  Ids rows = Ids::full({batch, length}, 0);
  for (int b = 0; b < batch; ++b)
    std::copy_n(text.begin() + random.below(places), length, rows.begin() + b * length);
  return rows;
}

float update(AdamW& adam, const Loss& loss, const Ids& tokens, double rate) {
  Tape tape;
  const Tensor cost = loss(tokens);
  const Gradients gradients = tape.backward(cost);
  double squares = 0;
  for (const NamedParameter& each : adam.parameters)
    for (float g : gradients.of(*each.tensor).values()) squares += double(g) * g;
  const double factor = std::min(1.0, adam.clip / std::sqrt(squares));

  adam.m.resize(adam.parameters.size());
  adam.v.resize(adam.parameters.size());
  ++adam.steps;
  const double m_part = 1 - std::pow(adam.beta1, adam.steps);
  const double v_part = 1 - std::pow(adam.beta2, adam.steps);
  for (std::size_t i = 0; i < adam.parameters.size(); ++i) {
    Tensor& weight = *adam.parameters[i].tensor;
    const Tensor& gradient = gradients.of(weight);
    if (!gradient.defined()) continue;
    std::vector<float> p = weight.values(), &m = adam.m[i], &v = adam.v[i];
    const Values g = gradient.values();
    m.resize(p.size());
    v.resize(p.size());
    const double kept = weight.rank() > 1 ? 1 - rate * adam.decay : 1;
    for (std::size_t j = 0; j < p.size(); ++j) {
      const double slope = factor * g[std::ptrdiff_t(j)];
      m[j] = static_cast<float>(adam.beta1 * m[j] + (1 - adam.beta1) * slope);
      v[j] = static_cast<float>(adam.beta2 * v[j] + (1 - adam.beta2) * slope * slope);
      const double step = m[j] / m_part / (std::sqrt(v[j] / v_part) + adam.eps);
      p[j] = static_cast<float>(kept * p[j] - rate * step);
    }
    copy_into(weight, p);
  }
  return cost.item();
}

double evaluate(const Loss& loss, const Text& text, int segment) {
  double total = 0;
  const int last = static_cast<int>(text.size()) - 1;
  for (int first = 0; first < last; first += segment) {
    const int count = std::min(segment, last - first);
    Ids window = Ids::full({1, count + 1}, 0);
    std::copy_n(text.begin() + first, count + 1, window.begin());
    total += double(loss(window).item()) * count;
  }
  return total / last;
}

}  // namespace xf::exercise
