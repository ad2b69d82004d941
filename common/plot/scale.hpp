#pragma once

#include "plot/viridis.hpp"

namespace xf {

// The colour of a number between `low` and `high`: viridis. If the range has both signs, a scale
// symmetric about zero is used, from red (Brewer's RdBu, 2002) through white at zero to blue, which
// shows the sign with any type of colour vision.
struct ColourScale {
  ColourScale(float least, float most);

  bool is_signed() const { return low < 0 && high > 0; }
  // Infinities and NaN are grey, as in viridis().
  Rgb operator()(float value) const;

  float low, high;
};

}  // namespace xf
