#pragma once

#include <memory>

#include "distributed/nccl.hpp"
#include "train/exchange/exchange.hpp"
#include "train/exchange/shared_gradients.hpp"

namespace xf {

// Several processes with a GPU each. In `fast` arithmetic, the GPUs add up the gradients among
// themselves. In `same`, and without NCCL, the gradients go through the host, which adds them in a
// fixed tree, because NCCL does not guarantee an order of summation.
class OverDevices : public Exchange {
 public:
  explicit OverDevices(std::vector<NamedParameter> parameters);

  GradientSums sum(std::span<Gradients> shards, ShardLosses* losses) override;

 private:
  // Both leave one gradient for each parameter, the sum over all shards of all processes.
  void add_up_on_devices(ShardGradients& gradients);
  void add_up_by_host(ShardGradients& gradients);

  SharedGradients shared_;
  std::unique_ptr<DeviceSums> devices_;  // null: by the host
  std::vector<Tensor> sums_;             // by parameter: GPU buffers for sums
};

}  // namespace xf
