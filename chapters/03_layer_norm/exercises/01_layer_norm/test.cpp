#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

static void check(const std::string& name, const Tensor& x, float eps) {
  const Tensor gamma = exercise::random({x.size(1)}, 32), beta = exercise::random({x.size(1)}, 33);
  COMPARE(name, layer_norm(x, gamma, beta, eps),
          exercise::layer_norm(to_xt<2>(x), to_xt<1>(gamma), to_xt<1>(beta), eps));
}

TEST_CASE("each row is normalised over its D features") {
  const int rows = exercise::given(3, 3, 20), columns = exercise::given(5, 10, 40);
  check("layer_norm(x)", exercise::random({rows, columns}, 31),
        exercise::given(1e-5f, 0.05f, 1.0f));
}

TEST_CASE("eps goes inside the root") {
  check("layer_norm(x), eps = 0.5",
        exercise::given({3, 4}, {2, -1, 4, 1, 0.5f, 0.2f, -0.3f, 0.4f, 0.9f, -1.1f, 0.3f, 0.8f}),
        exercise::given(0.5f, 0.25f, 0.75f));
  check("layer_norm(x), x near 0.003", exercise::random({exercise::given(3), 6}, 38, 0.003f),
        1e-5f);
}

TEST_CASE("a constant row gives beta") {
  const auto number = static_cast<float>(exercise::given(3, -9, 9));
  check("layer_norm(constant)", Tensor::full({exercise::given(4), exercise::given(6)}, number),
        1e-5f);
}

// Two rows whose mean is a whole number, so that every way to it is exact; the squares are not, in
// float.
static Tensor far_rows() {
  const int a = exercise::given(2, 1, 5), b = exercise::given(4, 6, 9);
  const int c = 4 * exercise::given(3, 5, 7) - a - b;
  const auto row = [](int first, int a, int b, int c) {
    return std::vector<float>{float(first), float(first + a), float(first + b), float(first + c)};
  };
  const int times = 1 << exercise::within(0, 1, 2);  // of many, a float holds no exact sum
  std::vector<float> rows;
  for (const auto& four : {row(20001, a, b, c), row(-20013, 2 * a, 2 * b, 2 * c)})
    for (int i = 0; i < times; ++i) rows.insert(rows.end(), four.begin(), four.end());
  return Tensor::from({2, 4 * times}, rows);
}

TEST_CASE("rows far from 0 keep their variance") {
  check("layer_norm(x), x near 20000", far_rows(), 1e-5f);
}
