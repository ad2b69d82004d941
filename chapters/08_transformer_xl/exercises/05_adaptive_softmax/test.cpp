#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using Matrix = xt::xtensor<float, 2>;

struct Model {
  Matrix head;
  std::vector<exercise::Cluster> clusters;
};

// With XF_SALT, a grading's, other sizes.
struct Sizes {
  int d = exercise::given(5), head = exercise::given(4), words_1 = exercise::given(3, 3, 5),
      words_2 = exercise::given(6), d_1 = exercise::given(3, 3, 4), d_2 = exercise::given(2, 2, 4),
      all = head + words_1 + words_2;
};

// D = 5; the head has 4 words, the clusters 3 and 6, of 3 and 2 numbers.
Model two_clusters(float deviation) {
  const Sizes of;
  return {exercise::random_xt<2>({of.d, of.head + 2}, 221, deviation),
          {{of.head, exercise::random_xt<2>({of.d, of.d_1}, 222),
            exercise::random_xt<2>({of.d_1, of.words_1}, 223)},
           {of.head + of.words_1, exercise::random_xt<2>({of.d, of.d_2}, 224),
            exercise::random_xt<2>({of.d_2, of.words_2}, 225)}}};
}
Matrix rows(int count, std::uint64_t seed) {
  return exercise::random_xt<2>({count, Sizes().d}, seed);
}

Tensor scores(const Matrix& x, const Matrix& w) { return matmul(from_xt(x), from_xt(w)); }

// log p of all words, one row after the other, in double: p itself may be too small for one.
std::vector<std::vector<double>> distribution(const Matrix& x, const Model& model) {
  const auto log_shares = [](const Tensor& all, int row) {
    std::vector<double> z(all.values().begin() + row * all.size(1),
                          all.values().begin() + (row + 1) * all.size(1));
    const double largest = *std::max_element(z.begin(), z.end());
    double total = 0;
    for (double each : z) total += std::exp(each - largest);
    for (double& each : z) each -= largest + std::log(total);
    return z;
  };
  std::vector<std::vector<double>> rows;
  for (int n = 0; n < int(x.shape(0)); ++n) {
    std::vector<double> log_p = log_shares(scores(x, model.head), n);
    const std::size_t words = log_p.size() - model.clusters.size();
    const std::vector<double> of_clusters(log_p.begin() + long(words), log_p.end());
    log_p.resize(words);
    for (std::size_t c = 0; c < of_clusters.size(); ++c) {
      const Tensor small = scores(x, model.clusters[c].down);
      for (double inside : log_shares(matmul(small, from_xt(model.clusters[c].out)), n))
        log_p.push_back(of_clusters[c] + inside);
    }
    rows.push_back(log_p);
  }
  return rows;
}

void check(const std::string& name, const Matrix& x, const Model& model,
           const std::vector<int>& usual) {
  const std::vector<int> targets = exercise::given(usual, Sizes().all, -1).ids;
  const auto wanted = [&] {
    const auto log_p = distribution(x, model);
    std::vector<float> logs;
    for (std::size_t n = 0; n < targets.size(); ++n)
      logs.push_back(static_cast<float>(log_p[n][std::size_t(targets[n])]));
    return Tensor::from({int(logs.size())}, logs);
  };
  COMPARE(name, wanted(),
          from_xt(exercise::log_probabilities(x, model.head, model.clusters, targets)));
}

}  // namespace

TEST_CASE("frequent words are scored by the head") {
  check("log p of 0, 3, 1", rows(3, 226), two_clusters(1), {0, 3, 1});
}

TEST_CASE("rare words: the cluster, then the word in it") {
  check("log p of 5, 12, 8, 6, 9", rows(5, 227), two_clusters(1), {5, 12, 8, 6, 9});
  check("log p of the first and last of each", rows(6, 228), two_clusters(1), {3, 4, 6, 7, 12, 0});
}

TEST_CASE("all the words together have the probability 1") {
  const Matrix x = rows(1, 229);
  const Model model = two_clusters(1);
  const auto own = [&] {
    double total = 0;
    for (int word = 0; word < Sizes().all; ++word)
      total += std::exp(exercise::log_probabilities(x, model.head, model.clusters, {word})(0));
    return Tensor::full({1}, static_cast<float>(total));
  };
  COMPARE("the sum of p over 13 words", Tensor::full({1}, 1), own());
}

TEST_CASE("large scores stay finite") {
  check("log p, scores of several hundred", rows(2, 230), two_clusters(100), {2, 10});
}

TEST_CASE("how many multiplications are saved") {
  const Model model = two_clusters(1);
  const Sizes of;
  const std::vector<int> targets = exercise::given({0, 1, 0, 2, 5, 9, 0}, of.all, -1).ids;
  const auto wanted = [&] {
    const double each = of.d * (of.head + 2), first = of.d_1 * (of.d + of.words_1),
                 second = of.d_2 * (of.d + of.words_2);
    double spent = 0;
    for (const int target : targets)
      spent += each + (target < of.head ? 0 : target < of.head + of.words_1 ? first : second);
    return Tensor::full({1}, static_cast<float>(7.0 * of.d * of.all / spent));
  };
  COMPARE("D V N / what is spent", wanted(),
          Tensor::full({1}, static_cast<float>(
                                exercise::products_saved(model.head, model.clusters, targets))));
}
