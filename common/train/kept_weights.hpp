#pragma once

#include <string>
#include <vector>

#include "nn/parameters.hpp"

namespace xf {

// The weights that a training run keeps along the way, to show how the model developed:
// <directory>/kept/00000150.safetensors are the weights after 150 updates. (train --keep-every)
struct KeptWeights {
  int update;
  std::string path;
};

// In order of their updates; empty if none were kept.
std::vector<KeptWeights> kept_weights(const std::string& directory);
void keep_weights(const std::string& directory, int update,
                  const std::vector<NamedParameter>& parameters);
// A fresh run deletes everything that an earlier one has left.
void forget_kept_weights(const std::string& directory);

}  // namespace xf
