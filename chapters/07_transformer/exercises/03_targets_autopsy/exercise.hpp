#pragma once

#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

inline constexpr int pad = 0, bos = 1, eos = 2;

struct DecoderBatch {
  Ids in, out;  // (B, T), T = the longest sentence + 1
};

// What the decoder reads and what it must predict there, filled up with padding.
//   in: <bos> w_1 ... w_n   out: w_1 ... w_n <eos>
DecoderBatch decoder_batch(const std::vector<std::vector<int>>& sentences);

}  // namespace xf::exercise
