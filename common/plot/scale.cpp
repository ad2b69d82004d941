#include "plot/scale.hpp"

#include <algorithm>
#include <cmath>

namespace xf {

namespace {

// The eleven colours from the lowest to the highest; the one in the middle is that of zero.
constexpr std::array red_to_blue = {Rgb{103, 0, 31},    Rgb{178, 24, 43},   Rgb{214, 96, 77},
                                    Rgb{244, 165, 130}, Rgb{253, 219, 199}, Rgb{247, 247, 247},
                                    Rgb{209, 229, 240}, Rgb{146, 197, 222}, Rgb{67, 147, 195},
                                    Rgb{33, 102, 172},  Rgb{5, 48, 97}};

// Interpolates between the two colours on either side of `fraction`.
Rgb red_blue(float fraction) {
  const float at = 10 * std::clamp(fraction, 0.0f, 1.0f);
  const auto first = static_cast<std::size_t>(std::min(at, 9.0f));
  const float share = at - static_cast<float>(first);
  const Rgb from = red_to_blue[first], to = red_to_blue[first + 1];
  const auto mixed = [share](std::uint8_t one, std::uint8_t other) {
    const float between =
        static_cast<float>(one) + share * static_cast<float>(int(other) - int(one));
    return static_cast<std::uint8_t>(between + 0.5f);
  };
  return {mixed(from.red, to.red), mixed(from.green, to.green), mixed(from.blue, to.blue)};
}

}  // namespace

ColourScale::ColourScale(float least, float most) : low(least), high(most) {
  if (is_signed()) high = std::max(-low, high), low = -high;
}

Rgb ColourScale::operator()(float value) const {
  const double from = low, to = high;
  const auto fraction = static_cast<float>((value - from) / (to - from));
  return is_signed() && std::isfinite(fraction) ? red_blue(fraction) : viridis(fraction);
}

}  // namespace xf
