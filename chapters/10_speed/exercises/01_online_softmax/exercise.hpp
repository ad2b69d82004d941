#pragma once

#include <limits>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

// The largest of the scores read so far, and the sum of exp(x - largest) over these scores.
struct Running {
  float largest = -std::numeric_limits<float>::infinity();
  float total = 0;
};

// Updates so_far with the next score, x, which may be minus infinity.
//                                                  Milakov and Gimelshein 2018, algorithm 3
void take(Running& so_far, float x);

// The largest score and the sum for two parts of a row together. Either part may be empty.
Running together(const Running& a, const Running& b);

// softmax(x), for which each part is read once and separately. If every score is minus infinity,
// every result is 0.
//   x: (S)   parts: how many numbers each part has, S in all   returns (S)
std::vector<float> softmax(const std::vector<float>& x, const std::vector<int>& parts);

}  // namespace xf::exercise
