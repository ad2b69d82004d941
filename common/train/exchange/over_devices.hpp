#pragma once

#include <memory>

#include "distributed/nccl.hpp"
#include "train/exchange/exchange.hpp"
#include "train/exchange/shared_gradients.hpp"

namespace xf {

// Several processes with a GPU each. In `fast` arithmetic the GPUs add up among themselves. In
// `same`, and without NCCL, the gradients go through the host, which adds in the fixed tree: NCCL
// guarantees no order of its sums.
class OverDevices : public Exchange {
 public:
  explicit OverDevices(std::vector<NamedParameter> parameters);

  GradientSums sum(std::span<Gradients> shards, ShardLosses* losses) override;

 private:
  // Both leave one gradient of each parameter, the sum of all shards of all processes.
  void add_up_on_devices(ShardGradients& gradients);
  void add_up_by_host(ShardGradients& gradients);

  SharedGradients shared_;
  std::unique_ptr<DeviceSums> devices_;  // null: by the host
  std::vector<Tensor> sums_;             // by parameter: on the GPU, apart from the gradients
};

}  // namespace xf
