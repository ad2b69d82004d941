#pragma once

#include <span>
#include <stdexcept>
#include <vector>

#include "nn/parameters.hpp"
#include "tensor/error.hpp"
#include "train/exchange/shard_losses.hpp"

namespace xf {

struct NotFinite : SpokenError<std::runtime_error> {
  using SpokenError::SpokenError;
};

// The gradient of a batch, which is the sum of the gradients of its shards.
struct GradientSums {
  std::vector<Tensor> of;  // by parameter; undefined if no shard has one
  double norm = 0;         // the root of the sum of all squares
  float scale = 1;         // the factor for each number, from clip()
};

// Scales a gradient that is longer than `longest` to that length (Pascanu et al. 2013,
// algorithm 1); 0: never.   returns the norm before
inline double clip(GradientSums& g, double longest) {
  if (longest > 0 && g.norm > longest) g.scale = static_cast<float>(longest / g.norm);
  return g.norm;
}

// Adds up the gradients of the shards, in place. `losses`, if given, are fetched with the sums, so
// that the host need not wait for them, even after a NotFinite. Throws NotFinite that names the
// parameter whose gradient is not finite, or says that the sum of the losses is not.
GradientSums sum_of(const std::vector<NamedParameter>& parameters, std::span<Gradients> shards,
                    ShardLosses* losses = nullptr);
// For a batch that is a single shard.
inline GradientSums sum_of(const std::vector<NamedParameter>& parameters, Gradients& whole) {
  return sum_of(parameters, std::span(&whole, 1));
}

// By parameter and shard; undefined where a shard has none.
using ShardGradients = std::vector<std::vector<Tensor>>;
ShardGradients gradients_of(const std::vector<NamedParameter>& parameters,
                            std::span<Gradients> shards);
GradientSums sum_of(const std::vector<NamedParameter>& parameters, const ShardGradients& gradients,
                    ShardLosses* losses = nullptr);
// Throws NotFinite if losses are given and their sum is not finite.
void check_finite(const ShardLosses* losses);
// squares[i]: the sum of squares of a stretch of parameter part_of[i].   returns the norm of all
double norm_of(const std::vector<NamedParameter>& parameters, const std::vector<double>& squares,
               const std::vector<std::size_t>& part_of);

}  // namespace xf
