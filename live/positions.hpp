#pragma once

#include "live/fields.hpp"

namespace xf::live {

// {"base": 10000, "d_model": 32, "positions": 64}: the sinusoids of chapter 1.
//   "encoding"     (positions, d_model): sine and cosine of each clock hand side by side
//   "dot"          (positions, positions): encoding encoding^T
//   "wavelengths"  the period of each of the d_model / 2 hands, in positions
Json positions(Fields& request);

// {"n": 256}: how fast matmul multiplies two (n, n) matrices -> {"gflops"}
Json matmul_speed(Fields& request);

}  // namespace xf::live
