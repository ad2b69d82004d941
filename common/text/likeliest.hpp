#pragma once

#include <functional>
#include <vector>

#include "ops/top_k/top_k.hpp"

namespace xf {

// The tokens with the largest scores among those that may be written, in descending order, ties in
// their order: `count` for each row, or all where the vocabulary has no more.
//   scores: (..., V), logits or log p   returns a list for each row
// Throws std::invalid_argument unless count and V are at least 1.
std::vector<std::vector<Placed>> likeliest(const Tensor& scores, int count);
// The same if may(row, token) says what may be written: it excludes at most `most` tokens of a row.
std::vector<std::vector<Placed>> likeliest(const Tensor& scores, int count, int most,
                                           const std::function<bool(int row, int token)>& may);

}  // namespace xf
