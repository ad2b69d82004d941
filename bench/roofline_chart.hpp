#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "language/language.hpp"

namespace xf::bench {

// The ceilings of one thread.
struct Roofline {
  double registers;  // GFLOP/s without memory access
  double sgemm;      // GFLOP/s of the product of two large matrices
  double near, far;  // GB/s of reading the second-level cache, and beyond the core's caches

  // What an op that does `intensity` operations for each byte from far away can reach.
  double roof(double intensity) const { return std::min(registers, far * intensity); }
};

struct RooflinePoint {
  std::string name;  // in English
  Phrase label;
  int rows = 0;          // of a product
  double intensity = 0;  // operations for each byte that is read or written once
  double gflops = 0;
};

// A whole SVG file: the ceilings as lines, the ops as named points, both axes logarithmic.
std::string roofline_svg(const Roofline& machine, const std::vector<RooflinePoint>& points);

}  // namespace xf::bench
