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

// The sizes of a case: T and S. With XF_SALT, others; a T of 1 or 2 stays.
using Sizes = std::pair<int, int>;
Sizes sizes(int usual_t, int usual_s) {
  const int t = usual_t <= 2 ? usual_t : exercise::given(usual_t, usual_t, usual_t + 12);
  const int memory = usual_s - usual_t;
  return {t, t + exercise::given(memory, memory, memory + 9)};
}

void check_y(const std::string& what, Sizes size) {
  const Tensor x = exercise::random({size.first, size.second}, 211);
  COMPARE("y, " + what, shifted(x), from_xt(exercise::relative_shift(to_xt<2>(x))));
}

void check_dx(const std::string& what, Sizes size) {
  const Tensor dy = exercise::random({size.first, size.second}, 212);
  COMPARE_GRADIENT("dx, " + what, gradient(dy),
                   from_xt(exercise::relative_shift_backward(to_xt<2>(dy))));
}

Tensor one_to_six() { return exercise::given({2, 3}, {1, 2, 3, 4, 5, 6}); }

}  // namespace

TEST_CASE("the example: T = 2, S = 3") {
  const Tensor x = one_to_six();
  COMPARE("y of 1 to 6", shifted(x), from_xt(exercise::relative_shift(to_xt<2>(x))));
}

TEST_CASE("with a memory, and without") {
  check_y("T = 3, M = 4", sizes(3, 7));
  check_y("T = S = 4", sizes(4, 4));
  check_y("T = 2, M = 3", sizes(2, 5));
}

TEST_CASE("with one query, nothing moves") { check_y("T = 1, S = 5", sizes(1, 5)); }

TEST_CASE("the gradient of the example") {
  const Tensor dy = one_to_six();
  COMPARE_GRADIENT("dx for dy = 1 to 6", gradient(dy),
                   from_xt(exercise::relative_shift_backward(to_xt<2>(dy))));
}

TEST_CASE("the gradient with a memory, without, and for a single query") {
  check_dx("T = 3, M = 4", sizes(3, 7));
  check_dx("T = S = 4", sizes(4, 4));
  check_dx("T = 2, M = 3", sizes(2, 5));
  check_dx("T = 1, S = 5", sizes(1, 5));
}

TEST_CASE("dy times y is dx times x") {
  const auto [t, s] = sizes(5, 6);
  const Tensor x = exercise::random({t, s}, 213), dy = exercise::random({t, s}, 214);
  const auto product = [](const Tensor& a, const Tensor& b) { return reshape(sum(a * b), {1}); };
  COMPARE("dy y, T = 5, S = 6", product(dy, shifted(x)),
          product(dy, from_xt(exercise::relative_shift(to_xt<2>(x)))));
  COMPARE("dx x, T = 5, S = 6", product(dy, shifted(x)),
          product(from_xt(exercise::relative_shift_backward(to_xt<2>(dy))), x));
}
