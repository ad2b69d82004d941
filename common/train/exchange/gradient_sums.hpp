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
  std::vector<Tensor> of;  // by parameter; undefined: no shard has one
  double norm = 0;         // the root of the sum of all squares
  float scale = 1;         // the factor for each number, from clip()
};

// A gradient that is longer than `longest` is scaled to that length (Pascanu et al. 2013,
// algorithm 1); 0: none is.   returns the norm before
inline double clip(GradientSums& g, double longest) {
  if (longest > 0 && g.norm > longest) g.scale = static_cast<float>(longest / g.norm);
  return g.norm;
}

// Adds up the gradients of the shards, which it changes. `losses`, where given, are fetched with
// them: after it, or after its NotFinite, the host need not wait for them. Throws NotFinite that
// names the parameter whose gradient is not finite, or says that the sum of the losses is not.
GradientSums sum_of(const std::vector<NamedParameter>& parameters, std::span<Gradients> shards,
                    ShardLosses* losses = nullptr);
// A batch that is one shard.
inline GradientSums sum_of(const std::vector<NamedParameter>& parameters, Gradients& whole) {
  return sum_of(parameters, std::span(&whole, 1));
}

// By parameter, of each shard; undefined where it has none.
using ShardGradients = std::vector<std::vector<Tensor>>;
ShardGradients gradients_of(const std::vector<NamedParameter>& parameters,
                            std::span<Gradients> shards);
GradientSums sum_of(const std::vector<NamedParameter>& parameters, const ShardGradients& gradients,
                    ShardLosses* losses = nullptr);
// Throws NotFinite when the sum of the losses, where given, is not.
void check_finite(const ShardLosses* losses);
// squares[i]: the sum of squares of a stretch of parameter part_of[i].   returns their norm
double norm_of(const std::vector<NamedParameter>& parameters, const std::vector<double>& squares,
               const std::vector<std::size_t>& part_of);

}  // namespace xf
