#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

// From ops that are there: |x|^2 - 2 x c^T + |c|^2.
Tensor wanted(const Tensor& x, const Tensor& c) {
  const int n = x.size(0), k = c.size(0), d = x.size(1);
  const Tensor ones = Tensor::full({d, 1}, 1), row = Tensor::full({1, k}, 1);
  const Tensor column = Tensor::full({n, 1}, 1);
  return matmul(matmul(x * x, ones), row) + -2.0f * matmul(x, c, Transpose::yes) +
         matmul(column, matmul(c * c, ones), Transpose::yes);
}

using Binary = std::function<Tensor(const Tensor&, const Tensor&)>;

struct Two {
  Tensor x, c;
};

// The gradients of the loss weighted_sum(op(x, c), weights).
Two gradients(const Binary& op, const Tensor& x, const Tensor& c, const Tensor& weights) {
  Tape tape;
  const Gradients found = tape.backward(weighted_sum(op(x, c), weights));
  return {found.of(x), found.of(c)};
}

Tensor one(double x) { return Tensor::full({1}, static_cast<float>(x)); }

// What it throws: is it there, does it begin with "distances: ", does it hold the shape of x, of c?
void check_refusal(const Tensor& x, const Tensor& c) {
  const std::string of_x = x.shape().str(), of_c = c.shape().str();
  const auto own = [&] {
    const auto text = exercise::refusal([&] { (void)exercise::distances(x, c); });
    const auto holds = [&](const std::string& word) {
      return text && text->find(word) != std::string::npos ? 1.0f : 0.0f;
    };
    const float begins = text && text->rfind("distances: ", 0) == 0 ? 1.0f : 0.0f;
    return Tensor::from({4}, {text ? 1.0f : 0.0f, begins, holds(of_x), holds(of_c)});
  };
  COMPARE("1 each: it throws, \"distances: \" begins, " + of_x + ", " + of_c, Tensor::full({4}, 1),
          own());
}

// a x^2, and the same with a gradient that is wrong in one number by 0.5, or by a factor.
float a() { return exercise::given(1.0f, 0.5f, 1.0f); }
Tensor square(const Tensor& x, int wrong_at, float factor) {
  return record("square", a() * x * x, {&x}, [=](InputGradients& inputs, const Tensor& dy) {
    Tensor dx = factor * (2.0f * a() * (detach(x) * dy));
    if (wrong_at >= 0) copy_into(dx, {dx.values()[wrong_at] + 0.5f}, wrong_at);
    inputs.add(0, dx);
  });
}

}  // namespace

TEST_CASE("forward: points worked by hand, and random ones") {
  const Tensor x = Tensor::from({2, 2}, {0, 0, 1, 3}), c = Tensor::from({1, 2}, {3, 4});
  COMPARE("distances of (0, 0) and (1, 3) from (3, 4)", Tensor::from({2, 1}, {25, 5}),
          exercise::distances(x, c));
  const int n = exercise::given(4), k = exercise::given(3), d = exercise::given(5);
  const Tensor points = exercise::random({n, d}, 601), centres = exercise::random({k, d}, 602);
  COMPARE("distances, N = 4, K = 3, D = 5", wanted(points, centres),
          exercise::distances(points, centres));
}

TEST_CASE("backward: both gradients") {
  const int n = exercise::given(4, 5, 16), k = exercise::given(3, 5, 12);
  const int d = exercise::given(5, 6, 12);
  const Tensor x = parameter(exercise::random({n, d}, 611));
  const Tensor c = parameter(exercise::random({k, d}, 612));
  const Tensor weights = exercise::random({n, k}, 613);
  COMPARE_GRADIENT("dx", gradients(wanted, x, c, weights).x,
                   gradients(exercise::distances, x, c, weights).x);
  COMPARE_GRADIENT("dc", gradients(wanted, x, c, weights).c,
                   gradients(exercise::distances, x, c, weights).c);
}

TEST_CASE("on the tape: used twice, with itself, and where no gradient is needed") {
  const int n = exercise::given(3), k = exercise::given(2), d = exercise::given(4);
  const Tensor x = parameter(exercise::random({n, d}, 621));
  const Tensor c = parameter(exercise::random({k, d}, 622));
  const Tensor weights = exercise::random({n, k}, 623), square = exercise::random({n, n}, 624);
  const auto twice = [](const Binary& op) {
    return [op](const Tensor& a, const Tensor& b) { return op(a, b) + op(2.0f * a, b); };
  };
  COMPARE_GRADIENT("dx, distances(x, c) + distances(2 x, c)",
                   gradients(twice(wanted), x, c, weights).x,
                   gradients(twice(exercise::distances), x, c, weights).x);
  const auto itself = [](const Binary& op) {
    return [op](const Tensor& a, const Tensor&) { return op(a, a); };
  };
  COMPARE_GRADIENT("dx, distances(x, x)", gradients(itself(wanted), x, c, square).x,
                   gradients(itself(exercise::distances), x, c, square).x);
  const auto only_x = [](const Binary& op) {
    return [op](const Tensor& a, const Tensor& b) { return op(a, detach(b)); };
  };
  COMPARE_GRADIENT("dx, c is no parameter", gradients(wanted, x, c, weights).x,
                   gradients(only_x(exercise::distances), x, c, weights).x);
  const auto entries = [&] {
    Tape tape;
    (void)exercise::distances(detach(x), detach(c));
    return one(tape.size());
  };
  COMPARE("entries on the tape, nothing is a parameter", one(0), entries());
  const auto all_entries = [&] {
    Tape tape;
    (void)exercise::distances(x, c);
    return one(tape.size());
  };
  COMPARE("entries on the tape: x, c and the op", one(3), all_entries());
}

TEST_CASE("shapes that do not fit") {
  const Tensor x = Tensor::zeros({4, 5});
  check_refusal(x, Tensor::zeros({3, 6}));
  check_refusal(x, Tensor::zeros({5}));
  check_refusal(Tensor::zeros({2, 4, 5}), x);
  const int n = exercise::given(4), k = exercise::given(3), d = exercise::given(5);
  check_refusal(Tensor::zeros({n, d}), Tensor::zeros({k, d + 1}));
  check_refusal(Tensor::zeros({n, d}), Tensor::zeros({k, d, 2}));
  check_refusal(Tensor::zeros({n, d, 2}), Tensor::zeros({k, d}));
  check_refusal(Tensor::zeros({n, 2, d}), Tensor::zeros({k, 2, d}));
  check_refusal(Tensor::zeros({d}), Tensor::zeros({k, d}));
  check_refusal(Tensor::zeros({d}), Tensor::zeros({d}));
  COMPARE("N = 4, K = 4 is no mistake", Tensor::zeros({4, 4}),
          exercise::distances(x, Tensor::zeros({4, 5})));
}

TEST_CASE("the gradient check finds what is wrong, and only that") {
  const Tensor x = exercise::random({2, 3}, 631), weights = exercise::random({2, 3}, 632);
  const auto error = [&](int wrong_at, float factor) {
    const auto op = [=](const Tensor& t) { return square(t, wrong_at, factor); };
    return exercise::gradient_error(op, x, weights);
  };
  COMPARE("1: a right gradient is within 0.002", one(1), one(error(-1, 1) < 0.002));
  for (int at : {0, exercise::within(4, 1, 4), 5})
    COMPARE("one number is wrong by 0.5: rounded to 0.1, " + std::to_string(at), one(0.5),
            one(std::round(10 * error(at, 1)) / 10));
  const auto largest = [&] {
    double most = 0;
    for (std::ptrdiff_t i = 0; i < x.count(); ++i)
      most = std::max(most, std::abs(2.0 * a() * x.values()[i] * weights.values()[i]));
    return most;
  };
  const auto sign_wrong = [&] {
    const double beyond = error(-1, -1) - 2 * largest();
    return one(beyond > 0.01 ? 1 : beyond < -0.01 ? -1 : 0);
  };
  COMPARE("0: with the sign wrong it is twice the gradient; -1: less; 1: more", one(0),
          sign_wrong());
  COMPARE("x afterwards, as before", exercise::random({2, 3}, 631), x);
  const Shape shape = {2, exercise::given(3, 2, 4), 2};
  const Tensor cube = exercise::random(shape, 638), more = exercise::random(shape, 639);
  for (int at : {exercise::within(3, 0, 6), int(cube.count()) - 1})
    COMPARE(
        "three axes, one number is wrong by 0.5: rounded to 0.1, " + std::to_string(at), one(0.5),
        one(std::round(10 * exercise::gradient_error(
                                [=](const Tensor& t) { return square(t, at, 1); }, cube, more)) /
            10));
}

// Here each gradient depends on where the other numbers are.
TEST_CASE("the gradient check moves one number at a time") {
  const Tensor x = exercise::random({3, 4}, 635), weights = exercise::random({3, 3}, 636);
  const float times = exercise::given(3.0f, 1.5f, 3.0f);
  const auto products = [&](const Tensor& t) { return matmul(times * t, t, Transpose::yes); };
  COMPARE("1: the right gradient of 3 x x^T is within 0.005", one(1),
          one(exercise::gradient_error(products, x, weights) < 0.005));
  // As much as what the gradient below leaves out: half of each product.
  const auto half = [&](const Tensor& t) { return matmul(times * detach(t), t, Transpose::yes); };
  const auto most_missing = [&] {
    Tape tape;
    const Tensor y = parameter(x);
    const auto missing =
        tape.backward(weighted_sum(matmul(times * y, detach(y), Transpose::yes), weights)).of(y);
    double most = 0;
    for (const float each : missing.values()) most = std::max(most, std::abs(double(each)));
    return most;
  };
  const auto half_missing = [&] {
    const double beyond = exercise::gradient_error(half, x, weights) - most_missing();
    return one(beyond > 0.02 ? 1 : beyond < -0.02 ? -1 : 0);
  };
  COMPARE("0: where half of the gradient of 3 x x^T is missing it is that half; -1: less; 1: more",
          one(0), half_missing());
  const Tensor more = exercise::random({3, 4}, 637);
  COMPARE("1: with h = 0.01, the right gradient of x^3 is within 0.005", one(1),
          one(exercise::gradient_error([](const Tensor& t) { return a() * t * t * t; }, x, more) <
              0.005));
}

// Of a w x^3 the difference is off by a w h^2, wherever x is.
TEST_CASE("the gradient check moves a number by h = 0.01") {
  const float weight = exercise::given(1000.0f, 800.0f, 1500.0f);
  const Tensor x = Tensor::full({1, 1}, exercise::given(0.3f, 0.2f, 0.4f));
  const auto own = [&] {
    const auto third_power = [](const Tensor& t) { return a() * t * t * t; };
    return exercise::gradient_error(third_power, x, Tensor::full({1, 1}, weight)) / (a() * weight);
  };
  COMPARE("h, from the error of a correct gradient, rounded to 0.001", one(0.01),
          one(std::round(1000 * std::sqrt(own())) / 1000));
}

TEST_CASE("your op passes your check") {
  const Tensor x = exercise::random({2, 3}, 631);
  const auto of_own = [&] {
    const Tensor c = exercise::random({4, 3}, 633), upper = exercise::random({2, 4}, 634);
    const auto by_x = [&](const Tensor& t) { return exercise::distances(t, c); };
    const auto by_c = [&](const Tensor& t) { return exercise::distances(x, t); };
    return one(exercise::gradient_error(by_x, x, upper) < 0.01 &&
               exercise::gradient_error(by_c, c, upper) < 0.01);
  };
  COMPARE("1: your op passes your check", one(1), of_own());
}
