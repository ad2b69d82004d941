#pragma once

#include "autograd/tape.hpp"

namespace xf {

// Moves row i of every (T, S) matrix to the left by T-1-i:
//   y[i, j] = x[i, j + T-1-i]   for j <= i + M,   M = S - T
// In every row of x, column c holds the score for distance S-1-c; in y, column j holds the score
// for key j, whose distance from query i is M + i - j.         Dai et al. 2019, appendix B
//   x: (..., T, S) with S >= T   returns the same shape
//
// This is the paper's trick: prepend a column of zeros to x, reinterpret the memory as (S+1, T),
// drop the first row. With T = 3, M = 2, and rc short for x[r, c]:
//
//     00 01 02 03 04            02 03 04  0 10
//     10 11 12 13 14   becomes  11 12 13 14  0
//     20 21 22 23 24            20 21 22 23 24
//
// Above the diagonal j = i + M there is garbage: a zero, then the start of the next row of x.
// The softmax mask must exclude these cells; zeros there would count as scores.
// backward: dx[i, c] = dy[i, c - (T-1-i)], and for c < T-1-i the gradient of the garbage above.
// Throws std::invalid_argument when S < T.
Tensor relative_shift(const Tensor& x);

}  // namespace xf
