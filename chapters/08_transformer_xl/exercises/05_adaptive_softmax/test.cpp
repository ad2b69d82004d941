#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using Matrix = xt::xtensor<float, 2>;

struct Model {
  int d, head_words, words;  // D, H, V
  Matrix head;
  std::vector<exercise::Cluster> clusters;
};

struct Sizes {
  int d, head_words;
  std::vector<std::pair<int, int>> clusters;  // D_c and V_c of each
};
const Sizes one_cluster = {4, 2, {{3, 5}}}, two_clusters = {5, 4, {{3, 3}, {2, 6}}},
            three_clusters = {6, 3, {{4, 2}, {1, 1}, {2, 7}}};

// With XF_SALT, others, up to 3 more each; instead of three clusters four to six.
Sizes given(Sizes sizes) {
  if (exercise::salted(0) == 0) return sizes;
  Random random(exercise::salted(std::uint64_t(sizes.d)));
  if (sizes.clusters.size() == 3) sizes.clusters.resize(std::size_t(4 + random.below(3)), {1, 2});
  const auto change = [&](int& size) { size += random.below(4); };
  change(sizes.d), change(sizes.head_words);
  for (auto& [numbers, words] : sizes.clusters) change(numbers), change(words);
  return sizes;
}

Model made(const Sizes& usual, float deviation = 1) {
  const Sizes sizes = given(usual);
  const auto drawn = [](int rows, int columns, std::uint64_t seed, float times) {
    return exercise::random_xt<2>({rows, columns}, seed, times);
  };
  const int columns = sizes.head_words + int(sizes.clusters.size());
  Model model{
      sizes.d, sizes.head_words, sizes.head_words, drawn(sizes.d, columns, 221, deviation), {}};
  std::uint64_t seed = 222;
  for (const auto& [numbers, words] : sizes.clusters) {
    model.clusters.push_back({model.words, drawn(sizes.d, numbers, seed, 1),
                              drawn(numbers, words, seed + 1, deviation)});
    model.words += words;
    seed += 2;
  }
  return model;
}

Matrix rows(int count, const Model& model, std::uint64_t seed) {
  return exercise::random_xt<2>({count, model.d}, seed);
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

void check(const std::string& name, const Model& model, const std::vector<int>& targets,
           std::uint64_t seed) {
  const Matrix x = rows(int(targets.size()), model, seed);
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

// These words; with XF_SALT, others that the head has, or that it has not.
std::vector<int> frequent(const std::vector<int>& usual, const Model& model) {
  return exercise::given(usual, model.head_words, -1).ids;
}
std::vector<int> rare(std::vector<int> usual, const Model& model) {
  for (int& word : usual) word -= model.head_words;
  usual = exercise::given(usual, model.words - model.head_words, -1).ids;
  for (int& word : usual) word += model.head_words;
  return usual;
}

// The first and the last word of the head and of each cluster.
std::vector<int> borders(const Model& model) {
  std::vector<int> words = {0};
  for (const exercise::Cluster& cluster : model.clusters) {
    words.push_back(cluster.first - 1);
    words.push_back(cluster.first);
  }
  words.push_back(model.words - 1);
  return words;
}

void check_sum(const std::string& name, const Model& model, std::uint64_t seed) {
  const Matrix x = rows(1, model, seed);
  const auto own = [&] {
    double total = 0;
    for (int word = 0; word < model.words; ++word)
      total += std::exp(exercise::log_probabilities(x, model.head, model.clusters, {word})(0));
    return Tensor::full({1}, static_cast<float>(total));
  };
  COMPARE(name, Tensor::full({1}, 1), own());
}

void check_saved(const std::string& name, const Model& model, const std::vector<int>& usual) {
  const std::vector<int> targets = exercise::given(usual, model.words, -1).ids;
  const auto wanted = [&] {
    const double d = model.d, head = d * double(model.head.shape(1));
    double full = 0, spent = 0;
    for (const int target : targets) {
      full += d * model.words;
      spent += head;
      for (const exercise::Cluster& cluster : model.clusters) {
        const double numbers = double(cluster.out.shape(0)), words = double(cluster.out.shape(1));
        if (target >= cluster.first && target < cluster.first + words)
          spent += d * numbers + numbers * words;
      }
    }
    return Tensor::full({1}, static_cast<float>(full / spent));
  };
  COMPARE(name, wanted(),
          Tensor::full({1}, static_cast<float>(
                                exercise::products_saved(model.head, model.clusters, targets))));
}

}  // namespace

TEST_CASE("frequent words are scored by the head") {
  const Model two = made(two_clusters), one = made(one_cluster);
  check("log p of 0, 3, 1", two, frequent({0, 3, 1}, two), 226);
  check("log p of 1, 0, one cluster", one, frequent({1, 0}, one), 231);
}

TEST_CASE("rare words: the cluster, then the word in it") {
  const Model two = made(two_clusters), one = made(one_cluster), three = made(three_clusters);
  check("log p of 5, 12, 8, 6, 9", two, rare({5, 12, 8, 6, 9}, two), 227);
  check("log p of the first and last of each", two, borders(two), 228);
  check("log p of 4, 2, 6, one cluster", one, rare({4, 2, 6}, one), 232);
  check("log p of the first and last of each, three clusters", three, borders(three), 233);
}

TEST_CASE("the probabilities of all words sum to 1") {
  check_sum("the sum of p over 13 words", made(two_clusters), 229);
  check_sum("the sum of p over 13 words, three clusters", made(three_clusters), 234);
}

TEST_CASE("large scores stay finite") {
  const Model two = made(two_clusters, 100);
  check("log p, scores of several hundred", two, exercise::given({2, 10}, two.words, -1).ids, 230);
  const Model one = made(one_cluster, 50), three = made(three_clusters, 50);
  check("log p, scores of a hundred, one cluster", one, borders(one), 235);
  check("log p, scores of a hundred, three clusters", three, borders(three), 236);
}

TEST_CASE("how many multiplications are saved") {
  check_saved("D V N / what is spent", made(two_clusters), {0, 1, 0, 2, 5, 9, 0});
  check_saved("D V N / what is spent, one cluster", made(one_cluster), {0, 1, 4});
  check_saved("D V N / what is spent, three clusters", made(three_clusters), {0, 5, 3, 12, 1});
}
