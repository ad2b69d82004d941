#include "text/likeliest.hpp"

#include <algorithm>

#include "text/vocabulary.hpp"

namespace xf {

std::vector<std::vector<Placed>> likeliest(const Tensor& scores, int count) {
  return likeliest(scores, count, never_written, [](int, int id) { return may_be_written(id); });
}

std::vector<std::vector<Placed>> likeliest(const Tensor& scores, int count, int most,
                                           const std::function<bool(int row, int token)>& may) {
  const auto rows = static_cast<std::size_t>(scores.shape().rows());
  const int width = scores.size(-1);
  const std::vector<Placed> tops = top_k(scores, std::min(count, width) + std::min(most, width));
  const std::size_t each = tops.size() / std::max<std::size_t>(1, rows);
  std::vector<std::vector<Placed>> lists(rows);
  for (std::size_t i = 0; i < tops.size(); ++i) {
    std::vector<Placed>& list = lists[i / each];
    if (static_cast<int>(list.size()) < count && may(static_cast<int>(i / each), tops[i].index))
      list.push_back(tops[i]);
  }
  return lists;
}

}  // namespace xf
