#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

struct Kept {
  std::vector<double> mean, var;
};

Tensor reference(Kept& kept, const Tensor& x, const Tensor& gamma, const Tensor& beta,
                 bool training, double share, double eps) {
  const int rows = x.size(0), columns = x.size(1);
  std::vector<float> y(static_cast<std::size_t>(x.count()));
  for (int d = 0; d < columns; ++d) {
    double sum = 0, squares = 0;
    for (int n = 0; n < rows; ++n) sum += x.values()[n * columns + d];
    for (int n = 0; n < rows; ++n) squares += std::pow(x.values()[n * columns + d] - sum / rows, 2);
    double &mean = kept.mean[std::size_t(d)], &var = kept.var[std::size_t(d)];
    const double centre = training ? sum / rows : mean, spread = training ? squares / rows : var;
    for (int n = 0; n < rows; ++n)
      y[std::size_t(n * columns + d)] = static_cast<float>(
          gamma.values()[d] * (x.values()[n * columns + d] - centre) / std::sqrt(spread + eps) +
          beta.values()[d]);
    if (training) mean = (1 - share) * mean + share * sum / rows;
    if (training && rows > 1) var = (1 - share) * var + share * squares / (rows - 1);
  }
  return Tensor::from(x.shape(), y);
}

Tensor list(const std::vector<double>& numbers) {
  return Tensor::from({int(numbers.size())}, std::vector<float>(numbers.begin(), numbers.end()));
}

// Batches one after the other; a negative number of rows is an evaluation of as many.
void check(const std::string& what, std::vector<int> batches, int usual_columns,
           float usual_share) {
  for (int& rows : batches)
    if (rows > 1)
      rows = exercise::given(rows, rows, rows + 20);
    else if (rows < -1)
      rows = exercise::given(rows, rows - 12, rows);
  const int columns = exercise::given(usual_columns, usual_columns, usual_columns + 12);
  const float share = exercise::given(usual_share, 0.5f * usual_share, 1.5f * usual_share);
  const float eps = exercise::given(0.01f, 0.03f, 0.3f);
  const Tensor gamma = exercise::random({columns}, 271), beta = exercise::random({columns}, 272);
  const Tensor start = exercise::random({columns}, 273);
  Kept kept;
  exercise::BatchNorm norm{.mean = to_xt<1>(start), .var = {}, .share = share, .eps = eps};
  norm.var = xt::square(norm.mean) + 0.5f;
  for (float each : norm.mean) kept.mean.push_back(each);
  for (float each : norm.var) kept.var.push_back(each);
  std::uint64_t seed = 274;
  for (int rows : batches) {
    const Tensor x = exercise::random({std::abs(rows), columns}, seed++, 2);
    const std::string name = what + ", batch " + std::to_string(seed - 274);
    COMPARE("y, " + name, reference(kept, x, gamma, beta, rows > 0, share, eps),
            from_xt(exercise::batch_norm(norm, to_xt<2>(x), to_xt<1>(gamma), to_xt<1>(beta),
                                         rows > 0)));
  }
  COMPARE("mean kept, " + what, list(kept.mean), from_xt(norm.mean));
  COMPARE("variance kept, " + what, list(kept.var), from_xt(norm.var));
  COMPARE("share and eps afterwards, " + what, list({share, eps}), list({norm.share, norm.eps}));
}

// A batch of two columns in training, with the share and the eps of a fresh BatchNorm.
void check_fresh(const std::string& what, const Tensor& x) {
  const Tensor gamma = exercise::random({2}, 281), beta = exercise::random({2}, 282);
  Kept kept{.mean = {0, 0}, .var = {1, 1}};
  exercise::BatchNorm norm{.mean = {0, 0}, .var = {1, 1}};
  COMPARE("y, " + what, reference(kept, x, gamma, beta, true, 0.1, 1e-5),
          from_xt(exercise::batch_norm(norm, to_xt<2>(x), to_xt<1>(gamma), to_xt<1>(beta), true)));
  COMPARE("mean kept, " + what, list(kept.mean), from_xt(norm.mean));
  COMPARE("variance kept, " + what, list(kept.var), from_xt(norm.var));
}

// The mean of each column is a whole number, so that every way to it is exact; the squares are not,
// in float.
Tensor far_columns() {
  const int a = exercise::given(2, 1, 5), b = exercise::given(4, 6, 9);
  const int c = 4 * exercise::given(3, 5, 7) - a - b;
  const int times = 1 << exercise::within(0, 1, 2);  // of many, a float holds no exact sum
  std::vector<float> rows;
  for (int i = 0; i < times; ++i)
    for (int more : {0, a, b, c})
      rows.insert(rows.end(), {float(20001 + more), float(-20013 + 2 * more)});
  return Tensor::from({4 * times, 2}, rows);
}

}  // namespace

TEST_CASE("training normalises by the batch and updates the kept statistics") {
  check("N = 5, D = 3", {5}, 3, 0.1f);
}

TEST_CASE("several batches of different sizes") { check("N = 4, 7, 2, D = 5", {4, 7, 2}, 5, 0.3f); }

TEST_CASE("columns far from 0 keep their variance; the usual eps affects small ones") {
  check_fresh("x near 20000", far_columns());
  check_fresh("x near 0.003", exercise::random({exercise::given(6), 2}, 283, 0.003f));
}

TEST_CASE("evaluation uses the kept statistics and changes none") {
  check("one row, D = 4", {-1}, 4, 0.1f);
  check("N = 6, then rows in evaluation", {6, -3, -1}, 2, 0.2f);
  check("N = 6, an evaluation, N = 5", {6, -3, 5}, 3, 0.2f);
}

TEST_CASE("a training batch of one row has no unbiased variance") {
  check("N = 1, D = 3", {1}, 3, 0.25f);
}
