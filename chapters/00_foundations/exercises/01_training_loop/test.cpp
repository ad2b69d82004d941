#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

using Matrix = xt::xtensor<float, 2>;
using Row = xt::xtensor<float, 1>;

namespace {

exercise::Model model(int columns, std::uint64_t seed) {
  const Row w = exercise::random_xt<1>({columns}, seed), dw = exercise::random_xt<1>({columns}, 9);
  return {.w = w, .b = exercise::given(0.5f, 0.1f, 2.0f), .dw = dw, .db = -0.75f};
}

Tensor all_of(const exercise::Model& m, bool gradients) {
  std::vector<float> numbers(gradients ? m.dw.begin() : m.w.begin(),
                             gradients ? m.dw.end() : m.w.end());
  numbers.push_back(gradients ? m.db : m.b);
  return Tensor::from({static_cast<int>(numbers.size())}, numbers);
}

Tensor list(const std::vector<float>& numbers) {
  return Tensor::from({static_cast<int>(numbers.size())}, numbers);
}

// One batch, rows first to last: in double, number by number.
double reference(exercise::Model& m, const Matrix& x, const Row& y, std::size_t first,
                 std::size_t last) {
  double loss = 0, db = 0;
  std::vector<double> dw(x.shape(1));
  for (std::size_t n = first; n < last; ++n) {
    double e = m.b - y(n);
    for (std::size_t k = 0; k < dw.size(); ++k) e += double(x(n, k)) * m.w(k);
    loss += e * e / double(last - first);
    for (std::size_t k = 0; k < dw.size(); ++k) dw[k] += 2 * e * x(n, k) / double(last - first);
    db += 2 * e / double(last - first);
  }
  for (std::size_t k = 0; k < dw.size(); ++k) m.dw(k) += static_cast<float>(dw[k]);
  m.db += static_cast<float>(db);
  return loss;
}

std::vector<float> trained_by(exercise::Model& m, const Matrix& x, const Row& y, int epochs,
                              int batch, float rate) {
  const std::size_t rows = x.shape(0), step = static_cast<std::size_t>(batch);
  std::vector<float> losses;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    double total = 0;
    for (std::size_t first = 0; first < rows; first += step) {
      const std::size_t last = std::min(first + step, rows);
      m.dw.fill(0), m.db = 0;
      total += reference(m, x, y, first, last) * double(last - first);
      for (std::size_t k = 0; k < x.shape(1); ++k) m.w(k) -= rate * m.dw(k);
      m.b -= rate * m.db;
    }
    losses.push_back(static_cast<float>(total / double(rows)));
  }
  return losses;
}

void check_train(const std::string& what, int usual_rows, int usual_columns, int usual_epochs,
                 int usual_batch) {
  const int rows = exercise::given(usual_rows, usual_rows, usual_rows + 30);
  const int columns =
      usual_columns == 1 ? 1 : exercise::given(usual_columns, usual_columns, usual_columns + 12);
  const int epochs = exercise::given(usual_epochs);
  const int batch = usual_batch < 3 ? usual_batch : exercise::given(usual_batch);
  // A step along one row must not overshoot: rate |x|^2 is to stay near 1, and |x|^2 near D.
  const float most = 1 / static_cast<float>(columns);
  const float rate = std::min(most, exercise::given(0.05f, 0.02f, 0.06f));
  const Matrix x = exercise::random_xt<2>({rows, columns}, 31);
  const Row y = exercise::random_xt<1>({rows}, 32);
  exercise::Model expected_model = model(columns, 33), trained = expected_model;
  COMPARE("losses, " + what, list(trained_by(expected_model, x, y, epochs, batch, rate)),
          list(exercise::train(trained, x, y, epochs, batch, rate)));
  COMPARE("w and b after " + what, all_of(expected_model, false), all_of(trained, false));
}

}  // namespace

TEST_CASE("backward: the loss and its gradients") {
  const Matrix x = to_xt<2>(exercise::given({2, 3}, {1, 2, 3, -1, 0, 2}));
  const Row y = to_xt<1>(exercise::given({2}, {1, -2}));
  exercise::Model one{.w = {1, 0, -1}, .b = 0.5f, .dw = xt::zeros<float>({3})}, other = one;
  COMPARE("loss of 2 rows", Tensor::full({1}, float(reference(one, x, y, 0, 2))),
          Tensor::full({1}, exercise::backward(other, x, y)));
  COMPARE("dw and db", all_of(one, true), all_of(other, true));
  const Matrix x_1 = to_xt<2>(exercise::given({1, 3}, {2, -1, 3}));
  const Row y_1 = to_xt<1>(exercise::given({1}, {-1}));
  COMPARE("loss of a single row", Tensor::full({1}, float(reference(one, x_1, y_1, 0, 1))),
          Tensor::full({1}, exercise::backward(other, x_1, y_1)));
  COMPARE("dw and db after a single row, too", all_of(one, true), all_of(other, true));
}

TEST_CASE("backward adds to the gradients already there") {
  const int rows = exercise::given(5, 12, 30), columns = exercise::given(2, 8, 16);
  const Matrix x = exercise::random_xt<2>({rows, columns}, 34);
  const Row y = exercise::random_xt<1>({rows}, 35);
  const auto twice = [&](auto&& call) {
    exercise::Model m = model(columns, 36);
    call(m), call(m);
    return all_of(m, true);
  };
  const auto last = static_cast<std::size_t>(rows);
  COMPARE("dw and db after two calls",
          twice([&](exercise::Model& m) { reference(m, x, y, 0, last); }),
          twice([&](exercise::Model& m) { exercise::backward(m, x, y); }));
}

TEST_CASE("one epoch of one batch is one step") {
  check_train("1 epoch, N = 4, batch = 4", 4, 3, 1, 4);
}

TEST_CASE("every batch is its own step, even a smaller last one") {
  check_train("1 epoch, N = 7, batch = 3", 7, 2, 1, 3);
  check_train("1 epoch, N = 5, batch = 1", 5, 3, 1, 1);
  check_train("2 epochs, N = 5, batch = 2", 5, 2, 2, 2);
  check_train("2 epochs, N = 5, K = 1, batch = 2", 5, 1, 2, 2);
}

TEST_CASE("several epochs") { check_train("6 epochs, N = 11, batch = 4", 11, 5, 6, 4); }
