#pragma once

#include <string>

namespace xf {

// The two large files of a model directory: what is used, and what a training goes on from.
inline std::string weights_path(const std::string& directory) {
  return directory + "/model.safetensors";
}
inline std::string checkpoint_path(const std::string& directory) {
  return directory + "/checkpoint.safetensors";
}

}  // namespace xf
