#include "train/adam.hpp"

#include <algorithm>
#include <cmath>

#include "tensor/portable_math.hpp"
#include "train/kernels.hpp"

namespace xf {

Adam::Adam(std::vector<NamedParameter> parameters, const AdamOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  for (const NamedParameter& parameter : parameters_) {
    for (auto* average : {&m_, &v_})
      average->push_back(Tensor::zeros(parameter.tensor->shape(), parameter.tensor->device()));
  }
}

double Adam::step(std::span<Gradients> shards, double learning_rate, ShardLosses* losses) {
  const Device device = parameters_.empty() ? Device::cpu : parameters_.front().tensor->device();
  return dispatch(device, [&](auto on) { return step_on(on, shards, learning_rate, losses); });
}

template <class On>
double Adam::step_on(On on, std::span<Gradients> shards, double learning_rate,
                     ShardLosses* losses) {
  const auto left = static_cast<float>(1 - learning_rate * options_.weight_decay);
  std::vector<kernel::AdamPart> parts;
  std::vector<std::size_t> numbers;  // of the parameters
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    Tensor& w = *parameters_[p].tensor;
    std::vector<float*> gradients;
    for (const Gradients& shard : shards) {
      Tensor gradient = shard.of(w);
      gradients.push_back(gradient.defined() ? gradient.data(on) : nullptr);
    }
    const auto first = std::ranges::find_if(gradients, [](const float* one) { return one; });
    if (first == gradients.end()) continue;
    parts.push_back({*first, gradients, m_[p].data(on), v_[p].data(on), w.data(on),
                     w.rank() > 1 ? left : 1, w.count()});
    numbers.push_back(p);
  }
  const std::vector<Tensor> pending = losses ? losses->pending() : std::vector<Tensor>{};
  std::vector<const float*> pending_numbers;
  for (const Tensor& loss : pending) pending_numbers.push_back(loss.data(on));
  const kernel::StepSums sums = kernel::sum_gradients(on, parts, pending_numbers);
  if (losses) losses->bring(sums.losses);
  const double norm = std::sqrt(sums.squares);
  if (sums.spoilt >= 0)
    throw NotFinite("the gradient of " + parameters_[numbers[sums.spoilt]].name + " is not finite");
  if (losses && !std::isfinite(double(*losses))) throw NotFinite("the loss is not finite");

  ++steps_;
  const double correction1 = 1 - portable::pow(options_.beta1, steps_);
  const double correction2 = 1 - portable::pow(options_.beta2, steps_);
  const bool too_long = options_.clip > 0 && norm > options_.clip;
  kernel::adam(on,
               {.beta1 = static_cast<float>(options_.beta1),
                .beta2 = static_cast<float>(options_.beta2),
                .epsilon = static_cast<float>(options_.epsilon),
                .step_size = static_cast<float>(learning_rate / correction1),
                .inverse_root_correction = static_cast<float>(1 / std::sqrt(correction2)),
                .clip_factor = static_cast<float>(too_long ? options_.clip / norm : 1.0)},
               parts);
  return norm;
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
  const auto expected = this->state();
  if (state.size() != expected.size())
    throw std::invalid_argument("adam: the state belongs to another model");
  for (std::size_t i = 0; i < state.size(); ++i)
    if (state[i].first != expected[i].first ||
        !(state[i].second.shape() == expected[i].second.shape()))
      throw std::invalid_argument("adam: the state of " + expected[i].first + " is missing");
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    copy_into(m_[p], state[2 * p].second.values());
    copy_into(v_[p], state[2 * p + 1].second.values());
  }
  steps_ = steps;
}

}  // namespace xf
