#include "train/exchange/over_devices.hpp"

#include "distributed/processes.hpp"
#include "tensor/arithmetic.hpp"

namespace xf {

OverDevices::OverDevices(std::vector<NamedParameter> parameters)
    : Exchange(std::move(parameters)), shared_(parameters_) {
  if (arithmetic() == Arithmetic::fast) devices_ = join_devices(everyone());
}

GradientSums OverDevices::sum(std::span<Gradients> shards, ShardLosses* losses) {
  ShardGradients gradients = gradients_of(parameters_, shards);
  sums_.resize(parameters_.size());
  devices_ ? add_up_on_devices(gradients) : add_up_by_host(gradients);
  return sum_of(parameters_, gradients, losses);
}

// A process without a gradient contributes 0 if another process has one.
void OverDevices::add_up_on_devices(ShardGradients& gradients) {
  const std::vector<bool> anywhere = shared_.present(gradients);
  std::vector<DeviceSums::Numbers> all;
  dispatch(Device::cuda, [&](auto on) {
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      if (!anywhere[p]) continue;
      const Tensor& w = *parameters_[p].tensor;
      Tensor& own = gradients[p][0];
      if (!own.defined()) own = sums_[p] = Tensor::zeros(w.shape(), w.device());
      all.push_back({own.data(on), w.count()});
    }
  });
  devices_->add_up(all);
}

void OverDevices::add_up_by_host(ShardGradients& gradients) {
  ShardGradients here;
  for (const std::vector<Tensor>& shards : gradients) {
    here.emplace_back();
    for (const Tensor& gradient : shards)
      here.back().push_back(gradient.defined() ? gradient.to(Device::cpu) : Tensor());
  }
  shared_.add_up(here);
  shared_.gather();
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    gradients[p] = {Tensor()};
    if (!shared_.has_gradient(p)) continue;
    const Tensor& w = *parameters_[p].tensor;
    if (!sums_[p].defined()) sums_[p] = Tensor::empty(w.shape(), w.device());
    copy_into(sums_[p], shared_.row().subspan(static_cast<std::size_t>(shared_.offset(p)),
                                              static_cast<std::size_t>(w.count())));
    gradients[p] = {sums_[p]};
  }
}

}  // namespace xf
