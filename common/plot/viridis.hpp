#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace xf {

struct Rgb {
  std::uint8_t red, green, blue;
  bool operator==(const Rgb&) const = default;
};

// "#440154"
std::string hex(Rgb colour);

// The colour map of van der Walt and Smith, 2015 (public domain): its lightness rises evenly, so
// it reads the same in print and for the colour-blind.
extern const std::array<Rgb, 256> viridis_table;
// Its bytes: red, green, blue of each, for pages.
std::string viridis_bytes();

// The colour of `fraction`: entry floor(256 fraction), clamped to the table's ends. Infinities and
// NaN are grey, a colour that the table does not contain.
Rgb viridis(float fraction);

}  // namespace xf
