#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/tensor.hpp"

namespace xf::lesson_05 {

struct PlanePoint {
  double x = 0, y = 0;
};

// Maps each row of (N, D), N >= 3, to a point of the plane, so that rows with similar directions
// get nearby points: t-SNE (van der Maaten and Hinton 2008), from random points. Distances between
// groups that are far apart mean nothing.
std::vector<PlanePoint> plane_of(const Tensor& directions, std::uint64_t seed);

struct MappedSentence {
  std::string text;
  std::size_t group = 0;
};

// A complete SVG file: each sentence's group number at its point, its text on hover, and below, for
// each group, the sentence closest to the group's mean.
std::string sentence_map_svg(const std::vector<MappedSentence>& sentences, const Tensor& directions,
                             std::uint64_t seed);

}  // namespace xf::lesson_05
