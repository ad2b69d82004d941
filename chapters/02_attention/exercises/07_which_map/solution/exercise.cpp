#include "exercise.hpp"

namespace xf::exercise {

// What a map looks like, in six numbers.
struct Look {
  float future = 0, beyond = 0;       // the largest weight of a key j > i; j > i + 1
  float sum_of_row = 0, largest = 0;  // means over the rows; of the largest weight of each
  float unevenness = 0;               // largest weight times the number of keys seen, mean
  float columns = 0;                  // how far the sum of a column is from 1, at most

  explicit Look(const xt::xtensor<float, 2>& map) {
    const std::size_t t = map.shape(0);
    const float share = 1 / static_cast<float>(t);
    for (std::size_t i = 0; i < t; ++i) {
      float largest_here = 0;
      for (std::size_t j = 0; j < t; ++j) {
        const float w = map(i, j);
        if (j > i) future = std::max(future, w);
        if (j > i + 1) beyond = std::max(beyond, w);
        largest_here = std::max(largest_here, w);
        sum_of_row += w * share;
      }
      largest += largest_here * share;
      unevenness += largest_here * static_cast<float>(i + 1) * share;
      float sum_of_column = 0;
      for (std::size_t j = 0; j < t; ++j) sum_of_column += map(j, i);
      columns = std::max(columns, std::abs(sum_of_column - 1));
    }
  }
};

std::vector<Fault> which(const std::vector<xt::xtensor<float, 2>>& maps) {
  std::vector<Fault> found;
  for (const xt::xtensor<float, 2>& map : maps) {
    const Look look(map);
    if (look.beyond > 0)
      found.push_back(Fault::no_mask);
    else if (look.future > 0)
      found.push_back(Fault::mask_late);
    else if (look.columns < 1e-3f)
      found.push_back(Fault::softmax_down);
    else if (look.sum_of_row < 0.9f)
      found.push_back(Fault::mask_after);
    else if (look.largest > 0.67f)
      found.push_back(Fault::no_scale);
    else if (look.unevenness < 1.5f)
      found.push_back(Fault::divided_twice);
    else
      found.push_back(Fault::healthy);
  }
  return found;
}

}  // namespace xf::exercise
