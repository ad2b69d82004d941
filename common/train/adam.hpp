#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "distributed/nccl.hpp"
#include "nn/parameters.hpp"
#include "train/early_sums.hpp"
#include "train/kernels.hpp"
#include "train/shard_losses.hpp"
#include "train/shared_gradients.hpp"

namespace xf {

struct NotFinite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;  // Vaswani et al. 2017, 5.3
  double epsilon = 1e-9;
  double clip = 0;          // the gradient's norm is cut to this; 0: never
  double weight_decay = 0;  // lambda below
  // Of several processes each keeps m and v of its share of the weights alone (ZeRO, stage 1); on
  // the CPU.
  bool shared_state = false;
};

// Kingma and Ba 2015, algorithm 1, with g the (clipped) gradient of step t:
//   m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2
//   w = (1 - lr lambda) w - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
// The decay is decoupled: it shrinks the weight itself, is no part of g, and so is not divided by
// sqrt(v) (Loshchilov and Hutter 2019, algorithm 2; lr lambda as in PyTorch's AdamW). It is for
// matrices: vectors, which are the biases and the gammas and betas of layer norms, do not decay.
class Adam {
 public:
  Adam(std::vector<NamedParameter> parameters, const AdamOptions& options);

  // One step with the sum of the given gradients (one set per shard of the batch); changes the
  // sets. A parameter without a gradient stays as it is. Returns the norm of the summed
  // gradient before clipping. `losses`, where given, come along: after it, or after its NotFinite,
  // the host need not wait for them. Throws NotFinite naming the parameter when its gradient is not
  // finite, or when the sum of the losses is not; then nothing has changed. Of several processes
  // each gives the gradients of its own shards, and all have the same weights afterwards.
  double step(std::span<Gradients> shards, double learning_rate, ShardLosses* losses = nullptr);

  // Of several processes in `fast` arithmetic on the CPU: what may be told of gradients before the
  // step. Null otherwise.
  EarlySums* early_sums() { return early_.get(); }

  int steps() const { return steps_; }
  // The state to save and restore: (m, v) of every parameter, as "<name>.m" and "<name>.v". Of
  // several processes with a shared state all must ask, and the first gets the numbers.
  std::vector<std::pair<std::string, Tensor>> state() const;
  // `state` is what state() of the same model returned. Throws std::invalid_argument otherwise.
  void restore(int steps, const std::vector<std::pair<std::string, Tensor>>& state);

 private:
  using Shards = std::vector<std::vector<float*>>;  // gradients, by parameter

  template <class On>
  double step_on(On on, std::span<Gradients> shards, double learning_rate, ShardLosses* losses);
  // The sums of the gradients, and their norm.
  template <class On>
  std::vector<kernel::AdamPart> sum(On on, Shards& gradients, double learning_rate,
                                    ShardLosses* losses, double& norm);
  template <class On>
  std::vector<kernel::AdamPart> sum_with_others(On on, Shards& gradients, double learning_rate,
                                                double& norm);
  template <class On>
  std::vector<kernel::AdamPart> sum_early(On on, const Shards& gradients, double learning_rate,
                                          double& norm);
  template <class On>
  void share_weights(On on);
  // On a GPU: leaves one gradient of each parameter, the sum of all shards of all processes.
  template <class On>
  void add_up_on_devices(On on, Shards& gradients);
  template <class On>
  void add_up_by_host(On on, Shards& gradients);
  // m or v of all parameters.
  std::vector<Tensor> of_all_shares(const Tensor& own) const;
  kernel::AdamRates rates(double learning_rate, double norm) const;
  // The norm. `part_of[i]` is the parameter that the stretch i of `squares` belongs to.
  double checked_norm(const std::vector<double>& squares,
                      const std::vector<std::size_t>& part_of) const;
  float left(std::size_t parameter, double learning_rate) const;
  bool in_shares() const { return shared_ && options_.shared_state; }

  std::vector<NamedParameter> parameters_;
  std::vector<Tensor> m_, v_;  // of all parameters, or one each, of this process's share
  AdamOptions options_;
  // With other processes one of these.
  std::optional<SharedGradients> shared_;
  std::unique_ptr<EarlySums> early_;
  std::unique_ptr<DeviceSums> devices_;  // beside shared_, where GPUs add up among themselves
  std::vector<Tensor> sums_;             // by parameter: what lies on the GPU beside the gradients
  int steps_ = 0;
};

}  // namespace xf
