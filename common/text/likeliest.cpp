#include "text/likeliest.hpp"

#include <algorithm>

#include "text/vocabulary.hpp"

namespace xf {

std::vector<std::vector<Placed>> likeliest(const Tensor& scores, int count) {
  const auto rows = static_cast<std::size_t>(scores.shape().rows());
  const std::vector<Placed> tops = top_k(scores, std::min(count, scores.size(-1)) + never_written);
  const std::size_t each = tops.size() / std::max<std::size_t>(1, rows);
  std::vector<std::vector<Placed>> lists(rows);
  for (std::size_t i = 0; i < tops.size(); ++i) {
    std::vector<Placed>& list = lists[i / each];
    if (static_cast<int>(list.size()) < count && may_be_written(tops[i].index))
      list.push_back(tops[i]);
  }
  return lists;
}

}  // namespace xf
