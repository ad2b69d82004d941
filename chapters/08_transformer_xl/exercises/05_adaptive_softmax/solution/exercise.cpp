#include "exercise.hpp"

namespace xf::exercise {

using Matrix = xt::xtensor<float, 2>;

static Matrix log_softmax(Matrix scores) {
  for (std::size_t i = 0; i < scores.shape(0); ++i) {
    const float largest = xt::amax(xt::row(scores, i))();
    float total = 0;
    for (std::size_t j = 0; j < scores.shape(1); ++j) total += std::exp(scores(i, j) - largest);
    for (std::size_t j = 0; j < scores.shape(1); ++j) scores(i, j) -= largest + std::log(total);
  }
  return scores;
}

// The cluster of a word; -1 for the head.
static int cluster_of(int word, const std::vector<Cluster>& clusters) {
  int found = -1;
  for (const Cluster& cluster : clusters) found += word >= cluster.first;
  return found;
}

xt::xtensor<float, 1> log_probabilities(const Matrix& x, const Matrix& head,
                                        const std::vector<Cluster>& clusters,
                                        const std::vector<int>& targets) {
  const Matrix log_p = log_softmax(xt::linalg::dot(x, head));  // (N, H + C)
  const std::size_t words = head.shape(1) - clusters.size();   // H
  xt::xtensor<float, 1> result = xt::zeros<float>({targets.size()});
  for (std::size_t n = 0; n < targets.size(); ++n) {
    const int c = cluster_of(targets[n], clusters);
    if (c < 0) {
      result(n) = log_p(n, static_cast<std::size_t>(targets[n]));
      continue;
    }
    const Cluster& its = clusters[static_cast<std::size_t>(c)];
    const Matrix row = xt::view(x, xt::range(n, n + 1), xt::all());  // (1, D)
    const Matrix small = xt::linalg::dot(row, its.down);             // (1, D_c)
    const Matrix inside = log_softmax(xt::linalg::dot(small, its.out));
    const std::size_t place = static_cast<std::size_t>(targets[n] - its.first);
    result(n) = log_p(n, words + static_cast<std::size_t>(c)) + inside(0, place);
  }
  return result;
}

double products_saved(const Matrix& head, const std::vector<Cluster>& clusters,
                      const std::vector<int>& targets) {
  const double d = double(head.shape(0));
  double words = double(head.shape(1)) - double(clusters.size()), full = 0, spent = 0;
  for (const Cluster& cluster : clusters) words += double(cluster.out.shape(1));
  for (int word : targets) {
    full += d * words;
    spent += d * double(head.shape(1));
    const int c = cluster_of(word, clusters);
    if (c < 0) continue;
    const auto& out = clusters[static_cast<std::size_t>(c)].out;
    spent += d * double(out.shape(0)) + double(out.shape(0)) * double(out.shape(1));
  }
  return full / spent;
}

}  // namespace xf::exercise
