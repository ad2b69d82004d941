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

// The colour map of van der Walt and Smith, 2015 (public domain): its lightness increases evenly,
// so it also works in greyscale print and for colour-blind readers.
extern const std::array<Rgb, 256> viridis_table;
// The same as bytes, red, green and blue of each colour, for pages.
std::string viridis_bytes();

// The colour at `fraction`: entry floor(256 fraction), clamped to the ends of the table. Infinities
// and NaN are grey, a colour that is not in the table.
Rgb viridis(float fraction);

}  // namespace xf
