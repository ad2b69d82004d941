#pragma once

#include <map>
#include <string>
#include <vector>

#include "train/adam.hpp"

namespace xf {

// Everything a training run needs to go on as if it had never stopped, in one file that is
// replaced atomically: the parameters, Adam's state, and the run's own counters as text.
using Counters = std::map<std::string, std::string>;

void save_checkpoint(const std::string& path, const std::vector<NamedParameter>& parameters,
                     const Adam& adam, const Counters& counters);
// Fills the parameters and Adam, and returns the counters. Throws UserError naming the file, and
// the tensor, when it is missing, damaged, not finite or of another model; then nothing has
// changed.
Counters load_checkpoint(const std::string& path, const std::vector<NamedParameter>& parameters,
                         Adam& adam);

}  // namespace xf
