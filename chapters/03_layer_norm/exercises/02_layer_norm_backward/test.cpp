#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

struct Inputs {
  Tensor x, gamma, beta, weights;

  explicit Inputs(const Shape& usual)
      : Inputs(exercise::random(
            {usual[0] == 1 ? 1 : exercise::given(usual[0], usual[0], usual[0] + 12),
             exercise::given(usual[1], usual[1] + 6, usual[1] + 20)},
            41, 2.0f)) {}
  explicit Inputs(const Tensor& at)
      : x(parameter(at)),
        gamma(parameter(exercise::random({at.size(1)}, 42))),
        beta(parameter(exercise::random({at.size(1)}, 43))),
        weights(exercise::random(at.shape(), 44)) {}
};

// The gradients of sum(w * layer_norm(x)), by the engine's op and by the exercise's.
Gradients engine(const Inputs& in, float eps) {
  Tape tape;
  return tape.backward(weighted_sum(layer_norm(in.x, in.gamma, in.beta, eps), in.weights));
}
Gradients own(const Inputs& in, float eps) {
  Tape tape;
  return tape.backward(
      weighted_sum(exercise::my_layer_norm(in.x, in.gamma, in.beta, eps), in.weights));
}

}  // namespace

TEST_CASE("dx: every number in a row changes the mean and sigma") {
  const Inputs in({2, 5});
  COMPARE_GRADIENT("dx", engine(in, 1e-5f).of(in.x), own(in, 1e-5f).of(in.x));
  const Inputs one({1, 4});
  COMPARE_GRADIENT("dx, R = 1", engine(one, 1e-5f).of(one.x), own(one, 1e-5f).of(one.x));
}

TEST_CASE("dgamma and dbeta: every row adds its share") {
  const Inputs in({4, 3});
  COMPARE_GRADIENT("dgamma", engine(in, 1e-5f).of(in.gamma), own(in, 1e-5f).of(in.gamma));
  COMPARE_GRADIENT("dbeta", engine(in, 1e-5f).of(in.beta), own(in, 1e-5f).of(in.beta));
}

TEST_CASE("eps goes inside the root in the backward pass as well") {
  const Inputs in({3, 6});
  const float eps = exercise::given(0.5f, 0.3f, 0.8f);
  COMPARE_GRADIENT("dx, eps = 0.5", engine(in, eps).of(in.x), own(in, eps).of(in.x));
  COMPARE_GRADIENT("dgamma, eps = 0.5", engine(in, eps).of(in.gamma), own(in, eps).of(in.gamma));
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

// The usual eps, beside variances of its own size and beside none. The weights are small as the
// rows are, since sigma divides them: what comes out is of the order of 1.
TEST_CASE("the usual eps matters for small rows and equal numbers") {
  const int rows = exercise::given(3, 2, 9), columns = 1 << exercise::within(3, 2, 4);
  Inputs small(exercise::random({rows, columns}, 45, 0.003f));
  small.weights = 0.003f * small.weights;
  COMPARE_GRADIENT("dx, x near 0.003", engine(small, 1e-5f).of(small.x),
                   own(small, 1e-5f).of(small.x));
  COMPARE_GRADIENT("dgamma, x near 0.003", engine(small, 1e-5f).of(small.gamma),
                   own(small, 1e-5f).of(small.gamma));
  // Of a power of 2 of equal whole numbers the mean is exact, and what remains is exactly 0.
  Inputs equal(Tensor::full({rows, columns}, float(exercise::given(3, 2, 9))));
  equal.weights = 0.003f * equal.weights;
  COMPARE_GRADIENT("dx of equal numbers", engine(equal, 1e-5f).of(equal.x),
                   own(equal, 1e-5f).of(equal.x));
  COMPARE_GRADIENT("dgamma of equal numbers", engine(equal, 1e-5f).of(equal.gamma),
                   own(equal, 1e-5f).of(equal.gamma));
}

TEST_CASE("rows far from 0 keep their sigma") {
  const Inputs in(far_rows());
  COMPARE_GRADIENT("dx, x near 20000", engine(in, 1e-5f).of(in.x), own(in, 1e-5f).of(in.x));
  COMPARE_GRADIENT("dgamma, x near 20000", engine(in, 1e-5f).of(in.gamma),
                   own(in, 1e-5f).of(in.gamma));
}
