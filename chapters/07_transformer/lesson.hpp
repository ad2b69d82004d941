#pragma once

#include "io/program.hpp"

namespace xf {

// The lesson of chapter 7: the seed's toy pair, as it fails and as it is repaired, and a translator
// for the tutorial's own English-Chinese language.
int lesson(const CommonOptions& options);

}  // namespace xf
