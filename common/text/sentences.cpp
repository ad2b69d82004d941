#include "text/sentences.hpp"

#include <algorithm>
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

}  // namespace xf
