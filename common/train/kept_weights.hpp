#pragma once

#include <string>
#include <vector>

#include "nn/parameters.hpp"

namespace xf {

// What a training keeps of its way, so that one can look at how the model came about:
// <directory>/kept/00000150.safetensors are the weights after 150 updates. (train --keep-every)
struct KeptWeights {
  int update;
  std::string path;
};

// First to last; none where nothing was kept.
std::vector<KeptWeights> kept_weights(const std::string& directory);
void keep_weights(const std::string& directory, int update,
                  const std::vector<NamedParameter>& parameters);
// A fresh run leaves nothing of an earlier one behind.
void forget_kept_weights(const std::string& directory);

}  // namespace xf
