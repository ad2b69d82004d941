#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

// The rows as complex numbers x_i + i x_(i + D/2), each times e^(i a).
Tensor reference(const Tensor& x, int first, double base, double direction = 1) {
  const int rows = x.size(0), width = x.size(1), half = width / 2;
  const std::vector<float> in = x.values();
  std::vector<float> out(in.size());
  for (int t = 0; t < rows; ++t)
    for (int i = 0; i < half; ++i) {
      const double a = direction * (first + t) / std::pow(base, 2.0 * i / width);
      const std::size_t at = std::size_t(t) * std::size_t(width) + std::size_t(i);
      const double re = double(in[at]), im = double(in[at + std::size_t(half)]);
      out[at] = float(re * std::cos(a) - im * std::sin(a));
      out[at + std::size_t(half)] = float(im * std::cos(a) + re * std::sin(a));
    }
  return Tensor::from(x.shape(), out);
}

Tensor own(const Tensor& x, int first, float base) {
  return from_xt(exercise::rotate(to_xt<2>(x), first, base));
}

Tensor rows_of(int rows, int half, std::uint64_t seed) {
  return exercise::random(
      {exercise::given(rows, rows, rows + 9), 2 * exercise::given(half, half, half + 9)}, seed);
}

// 100; with XF_SALT, another one.
float a_base() { return exercise::given(100.0f, 40.0f, 400.0f); }

void check(const std::string& what, const Tensor& x, int first, float base) {
  COMPARE(what, reference(x, first, double(base)), own(x, first, base));
}

// The scores of one query at the positions 0, 1, ... against one key `distance` before it.
template <class Rotate>
Tensor scores(const Tensor& q, const Tensor& k, int distance, const Rotate& rotate) {
  std::vector<float> all;
  for (int s = 0; s < 4; ++s) {
    const std::vector<float> turned_q = rotate(q, s + distance).values();
    const std::vector<float> turned_k = rotate(k, s).values();
    double sum = 0;
    for (std::size_t i = 0; i < turned_q.size(); ++i)
      sum += double(turned_q[i]) * double(turned_k[i]);
    all.push_back(float(sum));
  }
  return Tensor::from({4}, all);
}

}  // namespace

TEST_CASE("each pair turns at its own speed") {
  check("y, base 10000", rows_of(4, 3, 901), 0, exercise::given(10000.0f, 3000.0f, 20000.0f));
  check("y, base 50", rows_of(3, 4, 902), 0, exercise::given(50.0f, 20.0f, 80.0f));
}

TEST_CASE("a continued text starts at its position") {
  check("y, first = 7", rows_of(2, 2, 903), exercise::given(7, 7, 40), a_base());
}

TEST_CASE("one pair, one row") {
  check("y, D = 2", exercise::random({1, 2}, 904), exercise::given(2), 10000);
}

TEST_CASE("a score depends only on the distance") {
  const Shape shape = {1, 2 * exercise::given(4)};
  const float base = a_base();
  const Tensor q = exercise::random(shape, 905), k = exercise::random(shape, 906);
  const int distance = exercise::given(3);
  const auto wanted = [&] {
    const float score = scores(q, k, distance, [&](const Tensor& x, int position) {
                          return reference(x, position, base);
                        }).values()[0];
    return Tensor::from({4}, {score, score, score, score});
  };
  COMPARE("scores at four places", wanted(),
          scores(q, k, distance,
                 [&](const Tensor& x, int position) { return own(x, position, base); }));
}

TEST_CASE("the backward pass turns back") {
  const Tensor dy = rows_of(3, 3, 907);
  const int first = exercise::given(2, 2, 20);
  const float base = 2 * a_base();
  COMPARE_GRADIENT("dx", reference(dy, first, base, -1),
                   from_xt(exercise::rotate_backward(to_xt<2>(dy), first, base)));
  COMPARE_GRADIENT("dx, first = 0", reference(dy, 0, base, -1),
                   from_xt(exercise::rotate_backward(to_xt<2>(dy), 0, base)));
}
