#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

static void check(const std::string& name, const Tensor& x, float usual_eps) {
  const float eps = exercise::given(usual_eps, 0.5f * usual_eps, 1.5f * usual_eps);
  const Tensor gamma = exercise::random({x.size(1)}, 32), beta = exercise::random({x.size(1)}, 33);
  COMPARE(name, layer_norm(x, gamma, beta, eps),
          exercise::layer_norm(to_xt<2>(x), to_xt<1>(gamma), to_xt<1>(beta), eps));
}

TEST_CASE("each row is normalised over its D features") {
  check("layer_norm(x)", exercise::random({exercise::given(3), exercise::given(5)}, 31), 1e-5f);
}

TEST_CASE("eps stands inside the root") {
  check("layer_norm(x), eps = 0.5",
        exercise::given({3, 4}, {2, -1, 4, 1, 0.5f, 0.2f, -0.3f, 0.4f, 0.9f, -1.1f, 0.3f, 0.8f}),
        0.5f);
}

TEST_CASE("a constant row gives beta") {
  check("layer_norm(constant)", Tensor::full({exercise::given(4), 6}, 3.0f), 1e-5f);
}

// Two rows whose mean is a whole number, so that every way to it is exact; the squares are not, in
// float.
static Tensor far_rows() {
  const int a = exercise::given(2, 1, 5), b = exercise::given(4, 6, 9);
  const int c = 4 * exercise::given(3, 5, 7) - a - b;
  const auto row = [](int first, int a, int b, int c) {
    return std::vector<float>{float(first), float(first + a), float(first + b), float(first + c)};
  };
  std::vector<float> rows = row(20001, a, b, c);
  for (float each : row(-20013, 2 * a, 2 * b, 2 * c)) rows.push_back(each);
  return Tensor::from({2, 4}, rows);
}

TEST_CASE("rows far from 0 keep their variance") {
  check("layer_norm(x), x near 20000", far_rows(), 1e-5f);
}
