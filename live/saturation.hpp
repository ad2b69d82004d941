#pragma once

#include "live/fields.hpp"

namespace xf::live {

// {"seed": 1}: what chapter 2 has the root for. 256 queries and 16 keys of 1024 normal numbers; for
// each d_k of 1, 2, 4 ... 1024 the first d_k of them, and at "raw" q k^T, at "scaled" the same
// divided by sqrt(d_k):
//   "d_k": [1, 2, ...]   "raw", "scaled": for each {"scores": [16], "weights": [16]} of the first
//   query, and of all {"deviation", "entropy", "largest", "gradient", "median"} (saturation.hpp)
Json saturation(Fields& request);

}  // namespace xf::live
