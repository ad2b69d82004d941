#include "support/test.hpp"
#include "exercise.hpp"
#include "ops/rms_norm/rms_norm.hpp"

using namespace xf;

namespace {

int sized(int usual) { return exercise::given(usual, usual, usual + 12); }

struct Inputs {
  Tensor x, gamma, dy;

  Inputs(int rows, int columns, float shift = 0)
      : x(exercise::random({sized(rows), sized(columns)}, 911, 2.0f)),
        gamma(parameter(exercise::random({x.size(1)}, 912))),
        dy(exercise::random(x.shape(), 913)) {
    std::vector<float> numbers = x.values();
    for (float& each : numbers) each += shift;
    x = parameter(Tensor::from(x.shape(), numbers));
  }
};

Tensor own(const Inputs& in, float eps) {
  return from_xt(exercise::rms_norm(to_xt<2>(in.x), to_xt<1>(in.gamma), eps));
}

// As small as the root of a small eps, and a row of zeros.
Inputs small_inputs() {
  Inputs small(3, 5);
  std::vector<float> numbers = small.x.values();
  for (float& each : numbers) each *= 0.001f;
  std::fill_n(numbers.begin(), small.x.size(1), 0.0f);
  small.x = parameter(Tensor::from(small.x.shape(), numbers));
  return small;
}

// Of sum(dy * rms_norm(x)), by the engine's op.
Gradients engine(const Inputs& in, float eps) {
  Tape tape;
  return tape.backward(weighted_sum(rms_norm(in.x, in.gamma, eps), in.dy));
}
exercise::RmsNormGradients gradients(const Inputs& in, float eps) {
  return exercise::rms_norm_backward(to_xt<2>(in.x), to_xt<1>(in.gamma), to_xt<2>(in.dy), eps);
}

}  // namespace

TEST_CASE("each row is divided by its size") {
  const Inputs in(3, 5);
  COMPARE("y", rms_norm(in.x, in.gamma, 1e-6f), own(in, 1e-6f));
}

TEST_CASE("the mean stays in the row") {
  const Inputs in(2, 4, 3);
  COMPARE("y, rows around 3", rms_norm(in.x, in.gamma, 1e-6f), own(in, 1e-6f));
}

TEST_CASE("eps goes inside the root") {
  const Inputs in(2, 6);
  const float eps = exercise::given(0.5f, 0.3f, 0.8f);
  COMPARE("y, eps = 0.5", rms_norm(in.x, in.gamma, eps), own(in, eps));
  const Inputs small = small_inputs();
  COMPARE("y of small numbers", rms_norm(small.x, small.gamma, 1e-6f), own(small, 1e-6f));
}

TEST_CASE("dx: each number changes the size of its row") {
  const Inputs in(3, 5, 1);
  COMPARE_GRADIENT("dx", engine(in, 1e-6f).of(in.x), from_xt(gradients(in, 1e-6f).dx));
  const float eps = exercise::given(0.5f, 0.3f, 0.8f);
  COMPARE_GRADIENT("dx, eps = 0.5", engine(in, eps).of(in.x), from_xt(gradients(in, eps).dx));
  const Inputs small = small_inputs();
  COMPARE_GRADIENT("dx of small numbers", engine(small, 1e-6f).of(small.x),
                   from_xt(gradients(small, 1e-6f).dx));
}

TEST_CASE("dgamma: every row adds its share") {
  const Inputs in(4, 3);
  COMPARE_GRADIENT("dgamma", engine(in, 1e-6f).of(in.gamma), from_xt(gradients(in, 1e-6f).dgamma));
  const float eps = exercise::given(0.5f, 0.3f, 0.8f);
  COMPARE_GRADIENT("dgamma, eps = 0.5", engine(in, eps).of(in.gamma),
                   from_xt(gradients(in, eps).dgamma));
  const Inputs small = small_inputs();
  COMPARE_GRADIENT("dgamma of small numbers", engine(small, 1e-6f).of(small.gamma),
                   from_xt(gradients(small, 1e-6f).dgamma));
  Inputs zero(4, 3);  // a gamma of 0, so that y does not tell n
  std::vector<float> gamma = zero.gamma.values();
  gamma[0] = 0;
  zero.gamma = parameter(Tensor::from(zero.gamma.shape(), gamma));
  COMPARE_GRADIENT("dgamma, one gamma is 0", engine(zero, 1e-6f).of(zero.gamma),
                   from_xt(gradients(zero, 1e-6f).dgamma));
}
