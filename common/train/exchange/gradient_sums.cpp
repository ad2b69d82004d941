#include "train/exchange/gradient_sums.hpp"

#include <algorithm>
#include <cmath>

#include "train/exchange/kernels.hpp"

namespace xf {

GradientSums sum_of(const std::vector<NamedParameter>& parameters, std::span<Gradients> shards,
                    ShardLosses* losses) {
  return sum_of(parameters, gradients_of(parameters, shards), losses);
}

ShardGradients gradients_of(const std::vector<NamedParameter>& parameters,
                            std::span<Gradients> shards) {
  ShardGradients gradients;
  for (const NamedParameter& parameter : parameters) {
    gradients.emplace_back();
    for (const Gradients& shard : shards) gradients.back().push_back(shard.of(*parameter.tensor));
  }
  return gradients;
}

GradientSums sum_of(const std::vector<NamedParameter>& parameters, const ShardGradients& gradients,
                    ShardLosses* losses) {
  GradientSums sums;
  std::vector<std::size_t> part_of;
  const Device device = parameters.empty() ? Device::cpu : parameters[0].tensor->device();
  dispatch(device, [&](auto on) {
    std::vector<kernel::ShardSums> parts;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      std::vector<float*> shards;
      for (Tensor gradient : gradients[p])
        shards.push_back(gradient.defined() ? gradient.data(on) : nullptr);
      const auto first = std::find_if(shards.begin(), shards.end(), [](auto* x) { return x; });
      sums.of.emplace_back();
      if (first == shards.end()) continue;
      sums.of[p] = gradients[p][static_cast<std::size_t>(first - shards.begin())];
      parts.push_back({shards, sums.of[p].count(), *first});
      part_of.insert(part_of.end(), kernel::stretches(parts.back().count), p);
    }
    const std::vector<Tensor> pending = losses ? losses->pending() : std::vector<Tensor>{};
    std::vector<const float*> numbers;
    for (const Tensor& loss : pending) numbers.push_back(loss.data(on));
    const kernel::StepSums found = kernel::sum_gradients(on, parts, numbers);
    if (losses) losses->bring(found.losses);
    sums.norm = norm_of(parameters, found.squares, part_of);
  });
  check_finite(losses);
  return sums;
}

void check_finite(const ShardLosses* losses) {
  if (losses && !std::isfinite(double(*losses))) throw NotFinite("the loss is not finite");
}

double norm_of(const std::vector<NamedParameter>& parameters, const std::vector<double>& squares,
               const std::vector<std::size_t>& part_of) {
  double sum = 0;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    if (!std::isfinite(squares[i]))
      throw NotFinite("the gradient of {} is not finite", parameters[part_of[i]].name);
    sum += squares[i];
  }
  return std::sqrt(sum);
}

}  // namespace xf
