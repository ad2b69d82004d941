#include "exercise.hpp"

namespace xf::exercise {

void update(Adam& adam, std::vector<double>& p, const std::vector<double>& g, double rate) {
  adam.m.resize(p.size());
  adam.v.resize(p.size());
  ++adam.t;
  const double m_part = 1 - std::pow(adam.beta1, adam.t), v_part = 1 - std::pow(adam.beta2, adam.t);
  for (std::size_t i = 0; i < p.size(); ++i) {
    adam.m[i] = adam.beta1 * adam.m[i] + (1 - adam.beta1) * g[i];
    adam.v[i] = adam.beta2 * adam.v[i] + (1 - adam.beta2) * g[i] * g[i];
    const double m_hat = adam.m[i] / m_part, v_hat = adam.v[i] / v_part;
    p[i] -= rate * m_hat / (std::sqrt(v_hat) + adam.eps);
  }
}

std::vector<double> minimize(Adam& adam, std::vector<double> p, const GradientOf& gradient,
                             const std::vector<double>& rates) {
  for (double rate : rates) update(adam, p, gradient(p), rate);
  return p;
}

}  // namespace xf::exercise
