#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using Matrix = xt::xtensor<float, 2>;

Tensor uniform(const Shape& shape, std::uint64_t seed) {
  Random source(exercise::salted(seed));
  Tensor u = Tensor::zeros(shape);
  replace_each(u, [&](float) { return static_cast<float>(source.uniform()) * 0.9999f; });
  return u;
}

// x times the mask, and the mask itself for x = 1.
Tensor masked(const Tensor& x, const Tensor& u, float p, bool training) {
  std::vector<float> y = x.values();
  for (std::size_t i = 0; i < y.size() && training; ++i)
    y[i] = u.values()[static_cast<int>(i)] < p ? 0 : static_cast<float>(y[i] / (1.0 - p));
  return Tensor::from(x.shape(), y);
}

Shape drawn(int rows, int columns) {
  return {exercise::given(rows, rows, rows + 12), exercise::given(columns, columns, columns + 20)};
}

void check(const std::string& what, const Tensor& x, const Tensor& u, float p, bool training) {
  const Tensor dy = exercise::random(x.shape(), 125), ones = Tensor::full(x.shape(), 1);
  const auto own = [&] { return exercise::dropout_forward(to_xt<2>(x), to_xt<2>(u), p, training); };
  COMPARE("y, " + what, masked(x, u, p, training), from_xt(own().y));
  COMPARE("mask, " + what, masked(ones, u, p, training), from_xt(own().mask));
  COMPARE_GRADIENT("dx, " + what, masked(dy, u, p, training),
                   from_xt(exercise::dropout_backward(to_xt<2>(dy), own())));
  // Another layer's forward pass comes before the backward pass of this one.
  const auto late = [&] {
    const exercise::Dropped dropped = own();
    exercise::dropout_forward(to_xt<2>(x), Matrix(0.999f - to_xt<2>(u)), p, !training);
    exercise::dropout_forward(to_xt<2>(x), Matrix(0.999f - to_xt<2>(u)), p, true);
    return from_xt(exercise::dropout_backward(to_xt<2>(dy), dropped));
  };
  COMPARE_GRADIENT("dx after another forward pass, " + what, masked(dy, u, p, training), late());
}

}  // namespace

TEST_CASE("what is kept makes up for what is dropped") {
  check("p = 0.3, (4, 7)", exercise::random(drawn(4, 7), 121), uniform(drawn(4, 7), 122),
        exercise::given(0.3f, 0.1f, 0.5f), true);
  check("p = 0.75, (6, 5)", exercise::random(drawn(6, 5), 123), uniform(drawn(6, 5), 124),
        exercise::given(0.75f, 0.55f, 0.85f), true);
  check("p = 0.95, (5, 6)", exercise::random(drawn(5, 6), 130), uniform(drawn(5, 6), 131),
        exercise::given(0.95f, 0.9f, 0.97f), true);
}

TEST_CASE("nothing is dropped with p = 0, and u = p is kept") {
  check("p = 0, u(0, 0) = 0", exercise::given({1, 3}, {1, -2, 3}),
        Tensor::from({1, 3}, {0, 0.5f, 0.25f}), 0, true);
  check("p = 0.5, u(0, 1) = 0.5", exercise::given({1, 3}, {1, -2, 3}),
        Tensor::from({1, 3}, {0.25f, 0.5f, 0.75f}),
        static_cast<float>(exercise::within(2, 1, 3)) / 4, true);
}

TEST_CASE("evaluation leaves everything as it is") {
  check("p = 0.4, training = false", exercise::random(drawn(3, 8), 126), uniform(drawn(3, 8), 127),
        exercise::given(0.4f, 0.2f, 0.8f), exercise::either(false));
}

TEST_CASE("an input of 0 that was kept has a gradient") {
  check("x = 0", Tensor::zeros(drawn(2, 6)), uniform(drawn(2, 6), 128),
        exercise::given(0.2f, 0.1f, 0.6f), true);
}

TEST_CASE("the mean of the squares over all draws") {
  const Tensor x = exercise::random(drawn(3, 4), 129);
  for (const int percent : {20, 60, 90}) {
    const int most = percent == 90 ? 97 : percent + 25;
    const int drawn_percent = exercise::within(percent, percent - 10, most);
    const float p = static_cast<float>(drawn_percent) / 100;
    // 1000 u's, evenly spread, stand for all of them.
    const auto mean_of_squares = [&] {
      Tensor sum = Tensor::zeros(x.shape());
      for (int n = 0; n < 1000; ++n) {
        const Tensor u = Tensor::full(x.shape(), (static_cast<float>(n) + 0.5f) / 1000);
        const Tensor y = masked(x, u, p, true);
        sum = sum + y * y;
      }
      return scale(sum, 0.001f);
    };
    COMPARE("mean of y^2, p = 0." + std::to_string(percent / 10), mean_of_squares(),
            from_xt(exercise::expected_square(to_xt<2>(x), p)));
  }
}
