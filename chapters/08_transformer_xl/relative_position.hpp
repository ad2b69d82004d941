#pragma once

#include <algorithm>

#include "01_embedding/positional_encoding.hpp"

namespace xf {

// With memory, absolute positions are ambiguous: the first token of every segment has the number 0.
// What distinguishes keys is how far they are before the query. Transformer-XL therefore encodes
// the distance, with the sinusoids of chapter 1:
//   R_d = PE(d),   d = query's position - key's position                Dai et al. 2019, 3.3
// A query sees at most S = M + T keys, so that the distances are 0 ... S-1. Row c is R_{S-1-c}: the
// farthest key comes first, as in the score matrix of the last query.
//   returns (S, D). Distances beyond `clamp` count as `clamp` (0: no limit).
// Throws std::invalid_argument for an odd D.
inline Tensor relative_positions(int length, int d_model, int clamp = 0) {
  const int farthest = clamp > 0 ? std::min(clamp, length - 1) : length - 1;
  const Tensor by_distance = sinusoidal_positions(farthest + 1, d_model);  // row d is R_d
  std::vector<int> distances;
  for (int c = 0; c < length; ++c) distances.push_back(std::min(length - 1 - c, farthest));
  return gather_rows(by_distance, distances);  // (S, D)
}

// R for a model, computed once: R for S keys is the tail of every longer R.
struct RelativePositions {
  Tensor table;  // (longest, D)
  int clamp;

  RelativePositions(int longest, int d_model, int clamp_distance)
      : table(relative_positions(longest, d_model, clamp_distance)), clamp(clamp_distance) {}

  // returns (length, D); beyond the table it is computed on demand.
  Tensor operator()(int length) const {
    const int longest = table.size(0);
    if (length > longest) return relative_positions(length, table.size(1), clamp);
    return slice(table, 0, longest - length, length);
  }
};

}  // namespace xf
