#include "train/adam.hpp"

#include <cmath>
#include <stdexcept>

#include "tensor/portable_math.hpp"
#include "train/kernels.hpp"

namespace xf {

Adam::Adam(std::vector<NamedParameter> parameters, const AdamOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  for (const NamedParameter& parameter : parameters_)
    for (auto* moment : {&m_, &v_})
      moment->push_back(Tensor::zeros(parameter.tensor->shape(), parameter.tensor->device()));
}

void Adam::step(const GradientSums& g, double learning_rate) {
  ++t_;
  const auto [beta1, beta2, epsilon, weight_decay] = options_;
  const double correction1 = 1 - portable::pow(beta1, t_);
  const double correction2 = 1 - portable::pow(beta2, t_);
  const kernel::AdamRates rates{
      .beta1 = static_cast<float>(beta1),
      .beta2 = static_cast<float>(beta2),
      .epsilon = static_cast<float>(epsilon),
      .step_size = static_cast<float>(learning_rate / correction1),
      .inverse_root_correction = static_cast<float>(1 / std::sqrt(correction2)),
      .scale = g.scale};
  const auto left_of_matrices = static_cast<float>(1 - learning_rate * weight_decay);
  const Device device = parameters_.empty() ? Device::cpu : parameters_[0].tensor->device();
  dispatch(device, [&](auto on) {
    std::vector<kernel::AdamPart> parts;
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      if (!g.of[p].defined()) continue;
      Tensor& w = *parameters_[p].tensor;
      parts.push_back({g.of[p].data(on), m_[p].data(on), v_[p].data(on), w.data(on),
                       w.rank() > 1 ? left_of_matrices : 1, w.count()});
    }
    kernel::adam(on, rates, parts);
  });
}

std::vector<std::pair<std::string, Tensor>> Adam::state() const {
  std::vector<std::pair<std::string, Tensor>> state;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    state.emplace_back(parameters_[p].name + ".m", m_[p]);
    state.emplace_back(parameters_[p].name + ".v", v_[p]);
  }
  return state;
}

void Adam::restore(int steps, const std::vector<std::pair<std::string, Tensor>>& state) {
  if (state.size() != 2 * parameters_.size())
    throw std::invalid_argument("adam: the state belongs to another model");
  const auto own = this->state();
  for (std::size_t i = 0; i < own.size(); ++i)
    if (state[i].first != own[i].first || !(state[i].second.shape() == own[i].second.shape()))
      throw std::invalid_argument("adam: the state of " + own[i].first + " is missing");
  t_ = steps;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    copy_into(m_[p], state[2 * p].second.values());
    copy_into(v_[p], state[2 * p + 1].second.values());
  }
}

}  // namespace xf
