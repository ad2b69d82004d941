#pragma once

#include <string>
#include <vector>

#include "nn/parameters.hpp"

namespace xf {

// Sets every parameter to its mean over several files of the same model (checkpoint averaging,
// Vaswani et al. 2017, 6.1). Throws UserError when a file does not fit; then nothing has changed.
void load_average(const std::vector<std::string>& paths,
                  const std::vector<NamedParameter>& parameters);

}  // namespace xf
