#pragma once

#include <map>
#include <string>
#include <vector>

#include "train/adam.hpp"
#include "train/exchange/exchange.hpp"

namespace xf {

// Everything a training run needs to continue as if it had never stopped, in one file that is
// replaced atomically: the parameters, Adam's state, and the run's own counters as text.
using Counters = std::map<std::string, std::string>;

// A counter of the checkpoint at `path`. Both throw UserError if it is missing, is not a decimal
// number, is below `least` or is not in [0, end).
double counter(const Counters& counters, const std::string& name, const std::string& path,
               double least = -1e15);
long whole_counter(const Counters& counters, const std::string& name, const std::string& path,
                   long end = 2'000'000'000);

// All processes must call it; the first one writes.
void save_checkpoint(const std::string& path, const std::vector<NamedParameter>& parameters,
                     const Adam& adam, Exchange& exchange, const Counters& counters);
// Fills the parameters and Adam, and returns the counters. Throws UserError naming the file, and
// the tensor, when it is missing, damaged, not finite or of another model; then nothing has
// changed.
Counters load_checkpoint(const std::string& path, const std::vector<NamedParameter>& parameters,
                         Adam& adam, Exchange& exchange);

}  // namespace xf
