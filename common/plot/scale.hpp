#pragma once

#include "plot/viridis.hpp"

namespace xf {

// Which colour a number has, from `low` to `high`: viridis. Where numbers of both signs are shown
// the scale reaches as far below zero as above, from red (Brewer's RdBu, 2002) over white at zero
// to blue, so that the sign is seen, with any kind of colour vision.
struct ColourScale {
  ColourScale(float least, float most);

  bool is_signed() const { return low < 0 && high > 0; }
  // What is infinite or not a number is grey, as in viridis().
  Rgb operator()(float value) const;

  float low, high;
};

// The eleven colours from the lowest to the highest; the one in the middle is that of zero.
extern const std::array<Rgb, 11> red_to_blue;

}  // namespace xf
