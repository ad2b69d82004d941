#include "exercise.hpp"

#include <limits>
#include <vector>

namespace xf::exercise {

using Matrix = xt::xtensor<float, 2>;

static float score(const Matrix& q, const Matrix& k, int i, int j) {
  const float root = std::sqrt(static_cast<float>(q.shape(1)));
  return xt::sum(xt::row(q, i) * xt::row(k, j))() / root;
}

Matrix attention_in_blocks(const Matrix& q, const Blocks& of_words, bool causal) {
  const int queries = static_cast<int>(q.shape(0)), keys = of_words.words, block = of_words.block;
  Matrix output = xt::zeros<float>({q.shape(0), std::size_t(of_words.d_v)});
  for (int i = 0; i < queries; ++i) {
    const int visible = causal ? i + keys - queries + 1 : keys;
    float largest = -std::numeric_limits<float>::infinity(), total = 0;
    for (int first = 0; first < visible; first += block) {
      const int count = std::min(block, visible - first);
      const auto [k, v] = of_words.read(first / block);
      std::vector<float> scores;
      for (int j = 0; j < count; ++j) scores.push_back(score(q, k, i, j));
      const float before = largest;
      largest = std::max(before, *std::max_element(scores.begin(), scores.end()));
      const float factor = std::exp(before - largest);
      total *= factor;
      xt::row(output, i) *= factor;
      for (int j = 0; j < count; ++j) {
        const float weight = std::exp(scores[static_cast<std::size_t>(j)] - largest);
        total += weight;
        xt::row(output, i) += weight * xt::row(v, j);
      }
    }
    if (total > 0) xt::row(output, i) /= total;
  }
  return output;
}

}  // namespace xf::exercise
