#include "text/sentences.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace xf {

Sentences Sentences::end_to_end(Ids row, std::vector<int> starts) {
  if (row.shape() != Shape{1, row.size(-1)} || starts.empty() || starts.front() != 0 ||
      starts.back() != row.size(1) || !std::is_sorted(starts.begin(), starts.end()))
    throw std::invalid_argument(
        "sentences: starts 0 ... N and one row (1, N) wanted: the ids are " + row.shape().str());
  Sentences sentences(std::move(row));
  sentences.starts = std::move(starts);
  return sentences;
}

std::vector<int> Sentences::places() const {
  if (!positions.empty()) return positions;
  std::vector<int> places(static_cast<std::size_t>(ids.size(1)));
  const std::vector<int> one_sentence = {0, ids.size(1)},
                         &bounds = packed() ? starts : one_sentence;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i)
    std::iota(places.begin() + bounds[i], places.begin() + bounds[i + 1], 0);
  return places;
}

}  // namespace xf
