#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

// y, where number n is number n + T of the padded list.
Tensor shifted(const Tensor& x) {
  const int t = x.size(0), s = x.size(1);
  std::vector<float> y;
  for (int n = t; n < t * (s + 1); ++n) {
    const int column = n % (s + 1) - 1;
    y.push_back(column < 0 ? 0 : x.values()[n / (s + 1) * s + column]);
  }
  return Tensor::from(x.shape(), y);
}

// dx, one number of x after the other: y of x = 1 there and 0 elsewhere, times dy.
Tensor gradient(const Tensor& dy) {
  std::vector<float> dx;
  for (int i = 0; i < dy.count(); ++i) {
    Tensor one = Tensor::zeros(dy.shape());
    copy_into(one, {1}, i);
    dx.push_back(sum(shifted(one) * dy).item());
  }
  return Tensor::from(dy.shape(), dx);
}

void check(const std::string& what, int usual_t, int usual_s) {
  const int t = usual_t == 1 ? 1 : exercise::given(usual_t);
  const int s = t + exercise::given(usual_s - usual_t);
  const Tensor x = exercise::random({t, s}, 211), dy = exercise::random({t, s}, 212);
  COMPARE("y, " + what, shifted(x), from_xt(exercise::relative_shift(to_xt<2>(x))));
  COMPARE_GRADIENT("dx, " + what, gradient(dy),
                   from_xt(exercise::relative_shift_backward(to_xt<2>(dy))));
}

}  // namespace

TEST_CASE("the example: T = 2, S = 3") {
  const Tensor x = exercise::given({2, 3}, {1, 2, 3, 4, 5, 6});
  COMPARE("y of 1 to 6", shifted(x), from_xt(exercise::relative_shift(to_xt<2>(x))));
  COMPARE_GRADIENT("dx for dy = 1 to 6", gradient(x),
                   from_xt(exercise::relative_shift_backward(to_xt<2>(x))));
}

TEST_CASE("with a memory, and without") {
  check("T = 3, M = 4", 3, 7);
  check("T = S = 4", 4, 4);
}

TEST_CASE("a single query moves nothing") { check("T = 1, S = 5", 1, 5); }

TEST_CASE("dy times y is dx times x") {
  const Tensor x = exercise::random({5, 6}, 213), dy = exercise::random({5, 6}, 214);
  const auto product = [](const Tensor& a, const Tensor& b) { return reshape(sum(a * b), {1}); };
  COMPARE("dy y, T = 5, S = 6", product(dy, shifted(x)),
          product(dy, from_xt(exercise::relative_shift(to_xt<2>(x)))));
  COMPARE("dx x, T = 5, S = 6", product(dy, shifted(x)),
          product(from_xt(exercise::relative_shift_backward(to_xt<2>(dy))), x));
}
