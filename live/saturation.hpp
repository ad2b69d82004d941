#pragma once

#include "live/fields.hpp"

namespace xf::live {

// {"seed": 1}: why chapter 2 divides by the root. 256 queries and 16 keys of 1024 normal numbers;
// for each d_k of 1, 2, 4 ... 1024 the first d_k of them, with q k^T as "raw" and the same divided
// by sqrt(d_k) as "scaled":
//   "d_k": [1, 2, ...]   "raw", "scaled": for each {"scores": [16], "weights": [16]} of the first
//   query, and over all {"deviation", "entropy", "largest", "gradient", "median"} (saturation.hpp)
Json saturation(Fields& request);

}  // namespace xf::live
