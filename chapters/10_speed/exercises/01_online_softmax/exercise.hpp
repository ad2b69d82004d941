#pragma once

#include <limits>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

// Of the scores read so far: the largest, and the sum of exp(x - largest).
struct Running {
  float largest = -std::numeric_limits<float>::infinity();
  float total = 0;
};

// As if x stood behind what was read. x may be minus infinity.
//                                                  Milakov and Gimelshein 2018, algorithm 3
void take(Running& so_far, float x);

// Of two parts of a row together; either may be empty.
Running together(const Running& a, const Running& b);

// softmax(x), each part read once and by itself; 0 everywhere when every score is minus infinity.
//   x: (S)   parts: how many numbers each part has, S together   returns (S)
std::vector<float> softmax(const std::vector<float>& x, const std::vector<int>& parts);

}  // namespace xf::exercise
