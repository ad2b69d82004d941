#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

using Matrix = xt::xtensor<float, 2>;

namespace {

Tensor encoding(int first, int count, int d) {
  std::vector<float> numbers;
  for (int t = first; t < first + count; ++t)
    for (int c = 0; c < d; ++c) {
      const double angle = t * std::pow(10000.0, -double(c / 2 * 2) / d);
      numbers.push_back(static_cast<float>(c % 2 == 0 ? std::sin(angle) : std::cos(angle)));
    }
  return Tensor::from({count, d}, numbers);
}

// The rows of x by the definition, in double.
Tensor turned(const Tensor& x, int k) {
  const int d = x.size(1);
  std::vector<float> y;
  for (int t = 0; t < x.size(0); ++t)
    for (int c = 0; c < d; ++c) {
      const double b = k * std::pow(10000.0, -double(c / 2 * 2) / d);
      const double sine = x.values()[t * d + c / 2 * 2], cosine = x.values()[t * d + c / 2 * 2 + 1];
      y.push_back(static_cast<float>(c % 2 == 0 ? sine * std::cos(b) + cosine * std::sin(b)
                                                : cosine * std::cos(b) - sine * std::sin(b)));
    }
  return Tensor::from(x.shape(), y);
}

Tensor own_product(const Tensor& x, int k) {
  return matmul(x, from_xt(exercise::shift_matrix(k, x.size(1))));
}

}  // namespace

TEST_CASE("PE times the matrix is PE at t + k") {
  const int k = exercise::given(3, 2, 9), t = exercise::given(5, 3, 16);
  const int d = 2 * exercise::given(3, 5, 12);
  COMPARE("PE R_k, T = 5, D = 6", encoding(k, t, d), own_product(encoding(0, t, d), k));
  const int wide = 2 * exercise::given(4, 5, 12);
  COMPARE("PE R_-k, T = 2, D = 8", encoding(10 - k, 2, wide),
          own_product(encoding(10, 2, wide), -k));
}

TEST_CASE("the matrix itself: blocks of 2 x 2, and zeros") {
  const int k = exercise::given(2, 3, 30), d = 2 * exercise::given(2, 3, 12);
  Tensor identity = Tensor::zeros({d, d});
  for (int i = 0; i < d; ++i) copy_into(identity, {1}, i * (d + 1));
  COMPARE("R_k, D = 4", turned(identity, k), from_xt(exercise::shift_matrix(k, d)));
  COMPARE("R_-k, D = 4", turned(identity, -k), from_xt(exercise::shift_matrix(-k, d)));
  COMPARE("R_0, D = 4", identity, from_xt(exercise::shift_matrix(0, d)));
}

TEST_CASE("rows that are not encodings move the same way") {
  const int d = 2 * exercise::given(5), k = exercise::given(7, 3, 30);
  const Tensor x = exercise::random({exercise::given(3, 4, 16), d}, 81);
  COMPARE("moved(x, 7), T = 3, D = 10", turned(x, k), from_xt(exercise::moved(to_xt<2>(x), k)));
  COMPARE("moved(x, -2), T = 3, D = 10", turned(x, 5 - k),
          from_xt(exercise::moved(to_xt<2>(x), 5 - k)));
}

TEST_CASE("moved makes no matrix: here it would hold 40000 times 40000 numbers") {
  const Tensor x = exercise::random({1, 40000}, 83);
  const int k = exercise::given(3, 2, 12);
  const auto ends = [](const Tensor& y) {
    const Values all = y.values();
    return Tensor::from({2, 2}, {all[0], all[1], all[39998], all[39999]});
  };
  COMPARE("both ends of moved(x, 3), T = 1, D = 40000", ends(turned(x, k)),
          ends(from_xt(exercise::moved(to_xt<2>(x), k))));
  const auto mixed = [](const Tensor& y) {
    const Tensor weights = exercise::random({40000, 3}, 84);
    std::vector<float> sums;
    for (int s = 0; s < 3; ++s) {
      double sum = 0;
      for (int i = 0; i < 40000; ++i) sum += double(y.values()[i]) * weights.values()[3 * i + s];
      sums.push_back(static_cast<float>(sum));
    }
    return Tensor::from({3}, sums);
  };
  COMPARE("three sums of all its numbers, weighted", mixed(turned(x, k)),
          mixed(from_xt(exercise::moved(to_xt<2>(x), k))));
}

TEST_CASE("two moves add up to one, and no row gets longer") {
  const Tensor x = exercise::random({exercise::given(4), 2 * exercise::given(3, 4, 12)}, 82);
  const int first = exercise::given(5, 2, 20), then = exercise::given(4, 2, 20);
  const auto lengths = [](const Matrix& y) {
    const xt::xtensor<float, 1> squares = xt::sum(xt::square(y), {1});
    return from_xt(squares);
  };
  const auto twice = [&] { return exercise::moved(exercise::moved(to_xt<2>(x), first), then); };
  COMPARE("moved by 5, then by 4", turned(x, first + then), from_xt(twice()));
  COMPARE("squared lengths after moved(x, 4)", lengths(to_xt<2>(x)),
          lengths(exercise::moved(to_xt<2>(x), then)));
}
