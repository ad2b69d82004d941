#pragma once

#include <string>
#include <utility>
#include <vector>

#include "nn/parameters.hpp"
#include "train/exchange/gradient_sums.hpp"

namespace xf {

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;  // Vaswani et al. 2017, 5.3
  double epsilon = 1e-9;
  double weight_decay = 0;  // lambda below
};

// Kingma and Ba 2015, algorithm 1, with g the (clipped) gradient of step t:
//   m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2
//   w = (1 - lr lambda) w - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
// The decay is decoupled: it shrinks the weight itself, is not part of g, and so is not divided by
// sqrt(v) (Loshchilov and Hutter 2019, algorithm 2; lr lambda as in PyTorch's AdamW). It applies to
// matrices only: vectors, i.e. biases and the gammas and betas of layer norms, do not decay.
class Adam {
 public:
  explicit Adam(std::vector<NamedParameter> parameters, const AdamOptions& options = {});

  // g: by parameter. A parameter without a gradient does not change.
  void step(const GradientSums& g, double learning_rate);
  // For the gradients of a single shard, without clipping.
  void step(Gradients& g, double learning_rate) { step(sum_of(parameters_, g), learning_rate); }
  int steps() const { return t_; }

  // m and v of every parameter, as "<name>.m" and "<name>.v", to save and restore. Throws
  // std::invalid_argument for the state of another model.
  std::vector<std::pair<std::string, Tensor>> state() const;
  void restore(int steps, const std::vector<std::pair<std::string, Tensor>>& state);

 private:
  std::vector<NamedParameter> parameters_;
  std::vector<Tensor> m_, v_;
  AdamOptions options_;
  int t_ = 0;
};

}  // namespace xf
