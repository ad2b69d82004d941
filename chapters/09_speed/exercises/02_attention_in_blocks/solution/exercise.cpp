#include "exercise.hpp"

#include <limits>
#include <vector>

namespace xf::exercise {

using Matrix = xt::xtensor<float, 2>;

static float score(const Matrix& q, const Matrix& k, int i, int j) {
  const float root = std::sqrt(static_cast<float>(q.shape(1)));
  return xt::sum(xt::row(q, i) * xt::row(k, j))() / root;
}

Attended attention_in_blocks(const Matrix& q, const Matrix& k, const Matrix& v, int block,
                             bool causal) {
  const int queries = static_cast<int>(q.shape(0)), keys = static_cast<int>(k.shape(0));
  Attended result{.output = xt::zeros<float>({q.shape(0), v.shape(1)})};
  for (int i = 0; i < queries; ++i) {
    const int visible = causal ? i + keys - queries + 1 : keys;
    float largest = -std::numeric_limits<float>::infinity(), total = 0;
    for (int first = 0; first < visible; first += block) {
      const int last = std::min(first + block, visible);
      std::vector<float> scores;
      for (int j = first; j < last; ++j) scores.push_back(score(q, k, i, j));
      const float before = largest;
      largest = std::max(before, *std::max_element(scores.begin(), scores.end()));
      const float factor = std::exp(before - largest);
      total *= factor;
      xt::row(result.output, i) *= factor;
      for (int j = first; j < last; ++j) {
        const float weight = std::exp(scores[static_cast<std::size_t>(j - first)] - largest);
        total += weight;
        xt::row(result.output, i) += weight * xt::row(v, j);
      }
      ++result.blocks_read;
    }
    if (total > 0) xt::row(result.output, i) /= total;
  }
  return result;
}

}  // namespace xf::exercise
