#pragma once

#include "train/exchange/exchange.hpp"
#include "train/exchange/shared_gradients.hpp"

namespace xf {

// Several processes on the CPU.
class OverProcesses : public Exchange {
 public:
  OverProcesses(std::vector<NamedParameter> parameters, bool shared_state);

  std::vector<NamedParameter> own() override;
  GradientSums sum(std::span<Gradients> shards, ShardLosses* losses) override;
  void share_weights() override;
  NamedTensors whole(const NamedTensors& own) override;
  NamedTensors share_of(const NamedTensors& whole) override;

 private:
  // Gathers the numbers of all parameters from the slices of all processes.
  void gather(const std::vector<Tensor>& own, std::vector<Tensor>& all);
  std::span<float> in_row(const SharedGradients::Slice& slice);

  SharedGradients shared_;
  bool in_shares_;
  std::vector<SharedGradients::Slice> slices_;  // those that this process updates
  std::vector<Tensor> shares_;                  // their weights, if they are not all
};

}  // namespace xf
