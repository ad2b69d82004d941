#pragma once

#include "09_since_2017/config.hpp"
#define RotaryPositions RotaryPositionsOfTheBook
#include "chapters/09_since_2017/rotary_position.hpp"
#undef RotaryPositions

namespace xf {

// Also stores its base, because the exercise rotates by the base and the first row's position.
struct RotaryPositions : RotaryPositionsOfTheBook {
  int d_k;
  double base;

  RotaryPositions(int width, double of_base, const RotaryScaling& scaling = {})
      : RotaryPositionsOfTheBook(width, of_base, scaling), d_k(width), base(of_base) {}
  Tensor turns(int first, int count) const;
};

namespace mine {

// `turns` come from RotaryPositions::turns().
Tensor rotate(const Tensor& x, const Tensor& turns);

}  // namespace mine

}  // namespace xf
