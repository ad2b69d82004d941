#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

static void check(const std::string& name, const Tensor& x, float eps) {
  const Tensor gamma = exercise::random({x.size(1)}, 32), beta = exercise::random({x.size(1)}, 33);
  COMPARE(name, layer_norm(x, gamma, beta, eps),
          exercise::layer_norm(to_xt<2>(x), to_xt<1>(gamma), to_xt<1>(beta), eps));
}

TEST_CASE("each row is normalised over its D features") {
  check("layer_norm(x)", exercise::random({3, 5}, 31), 1e-5f);
}

TEST_CASE("eps stands inside the root") {
  check("layer_norm(x), eps = 0.5",
        Tensor::from({3, 4}, {2, -1, 4, 1, 0.5f, 0.2f, -0.3f, 0.4f, 0.9f, -1.1f, 0.3f, 0.8f}),
        0.5f);
}

TEST_CASE("a constant row gives beta") {
  check("layer_norm(constant)", Tensor::full({4, 6}, 3.0f), 1e-5f);
}

// The steps are even, so that every way to the mean is exact; the squares are not, in float.
TEST_CASE("rows far from 0 keep their variance") {
  check("layer_norm(x), x near 20000",
        Tensor::from({2, 4}, {20001, 20003, 20005, 20007, -20013, -20009, -20005, -20001}), 1e-5f);
}
