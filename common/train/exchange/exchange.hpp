#pragma once

#include <memory>
#include <span>
#include <vector>

#include "io/safetensors.hpp"
#include "train/exchange/gradient_sums.hpp"

namespace xf {

// Sums the gradients of a batch over threads, processes and GPUs. This class is for a single
// process.
class Exchange {
 public:
  explicit Exchange(std::vector<NamedParameter> parameters) : parameters_(std::move(parameters)) {}
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // The parameters that this process updates: all, or its share of each.
  virtual std::vector<NamedParameter> own() { return parameters_; }
  // The gradient of the batch for these parameters, over all processes; otherwise like sum_of().
  virtual GradientSums sum(std::span<Gradients> shards, ShardLosses* losses = nullptr) {
    return sum_of(parameters_, shards, losses);
  }
  // To be called after the step: all processes exchange their updated weights.
  virtual void share_weights() {}

  // Converts Adam's state for own() to the state for all parameters, as stored in a checkpoint, and
  // back. All processes must call them.
  virtual NamedTensors whole(const NamedTensors& own) { return own; }
  virtual NamedTensors share_of(const NamedTensors& whole) { return whole; }

 protected:
  std::vector<NamedParameter> parameters_;
};

// The exchange for this process and those started with it. shared_state: each keeps the optimizer's
// state only for its share of the weights (Rajbhandari et al. 2020, ZeRO, stage 1); on the CPU.
std::unique_ptr<Exchange> make_exchange(std::vector<NamedParameter> parameters,
                                        bool shared_state = false);

}  // namespace xf
