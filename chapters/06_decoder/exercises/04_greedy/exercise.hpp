#pragma once

#include <functional>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

inline constexpr int pad = 0, bos = 1, eos = 2;

// The scores of the next word, (B, V), for the words so far, (B, t + 1).
using Decoder = std::function<xt::xtensor<float, 2>(const Ids& words)>;

// Writes `batch` sentences, always with the best word, each until its `eos` or `limit` words. A
// finished row is filled up with `pad`; `pad` and `bos` are never chosen; the decoder is not asked
// when all are finished.   Returns the words of each sentence, without bos, eos and pad.
std::vector<std::vector<int>> greedy(const Decoder& decoder, int batch, int limit);

}  // namespace xf::exercise
