#pragma once

#include <numeric>
#include <vector>

#include "tensor/tensor.hpp"

namespace xf {

// Sentences in the form in which a model reads them: as rows, (B, T), each padded with <pad>; or
// end to end in one row, (1, N), without padding.
struct Sentences {
  Ids ids;
  std::vector<int> starts;     // end to end: where each sentence begins, and N; else empty
  std::vector<int> positions;  // one per column; empty: each sentence counts from 0

  Sentences(Ids rows, std::vector<int> at = {}) : ids(std::move(rows)), positions(std::move(at)) {}
  // Throws std::invalid_argument when the ids are not one row, or the starts do not fit it.
  static Sentences end_to_end(Ids row, std::vector<int> starts);

  bool packed() const { return !starts.empty(); }
  // The position of every column.
  std::vector<int> column_positions() const {
    if (!positions.empty()) return positions;
    std::vector<int> counted(static_cast<std::size_t>(ids.size(1)));
    const std::vector<int> one_sentence = {0, ids.size(1)},
                           &bounds = packed() ? starts : one_sentence;
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i)
      std::iota(counted.begin() + bounds[i], counted.begin() + bounds[i + 1], 0);
    return counted;
  }
};

}  // namespace xf
