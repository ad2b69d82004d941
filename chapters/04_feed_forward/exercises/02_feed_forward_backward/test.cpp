#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::given;

namespace {

struct Case {
  Tensor x, dy;
  exercise::Weights w;

  Case(int rows, int d_model, int d_ff)
      : x(parameter(exercise::random({rows, d_model}, 61))),
        dy(exercise::random({rows, d_model}, 62)),
        w{parameter(exercise::random({d_ff, d_model}, 63)), parameter(exercise::random({d_ff}, 64)),
          parameter(exercise::random({d_model, d_ff}, 65)),
          parameter(exercise::random({d_model}, 66))} {}

  Gradients wanted() const {
    Tape tape;
    const Tensor y = linear(relu(linear(x, w.w_1, w.b_1)), w.w_2, w.b_2);
    return tape.backward(weighted_sum(y, dy));
  }
  Gradients own() const {
    Tape tape;
    return tape.backward(weighted_sum(exercise::my_feed_forward(x, w), dy));
  }
};

// All five gradients.
void check(const std::string& what, const Case& c) {
  COMPARE_GRADIENT(what + "dx", c.wanted().of(c.x), c.own().of(c.x));
  COMPARE_GRADIENT(what + "dW_1", c.wanted().of(c.w.w_1), c.own().of(c.w.w_1));
  COMPARE_GRADIENT(what + "db_1", c.wanted().of(c.w.b_1), c.own().of(c.w.b_1));
  COMPARE_GRADIENT(what + "dW_2", c.wanted().of(c.w.w_2), c.own().of(c.w.w_2));
  COMPARE_GRADIENT(what + "db_2", c.wanted().of(c.w.b_2), c.own().of(c.w.b_2));
}

}  // namespace

TEST_CASE("the second layer: every row of x used W_2 and b_2") {
  const Case c(given(4, 9, 16), given(3, 5, 12), given(6, 9, 20));
  COMPARE_GRADIENT("dW_2", c.wanted().of(c.w.w_2), c.own().of(c.w.w_2));
  COMPARE_GRADIENT("db_2", c.wanted().of(c.w.b_2), c.own().of(c.w.b_2));
}

TEST_CASE("x and the first layer, before the max") {
  const Case c(given(3, 9, 16), given(4, 6, 12), given(7, 10, 20));
  COMPARE_GRADIENT("dx", c.wanted().of(c.x), c.own().of(c.x));
  COMPARE_GRADIENT("dW_1", c.wanted().of(c.w.w_1), c.own().of(c.w.w_1));
  COMPARE_GRADIENT("db_1", c.wanted().of(c.w.b_1), c.own().of(c.w.b_1));
  check("R = 1: ", Case(1, given(5, 6, 12), given(4, 10, 20)));
}

TEST_CASE("a unit at exactly 0 is off") {
  const int d_model = given(5), d_ff = given(3);
  const int rows = given(2, 2, 8), row = exercise::within(0, 0, rows - 1);
  Case c(rows, d_model, d_ff);
  copy_into(c.w.b_1, std::vector<float>(std::size_t(d_ff)));
  // A row of 0, such as padding: x W_1^T + b_1 is 0.
  copy_into(c.x, std::vector<float>(std::size_t(d_model)), row * d_model);
  check("with a row of 0: ", c);
  Case dead(given(3), d_model, d_ff);  // one unit has no weights: 0 for every x
  const int unit = exercise::within(1, 0, d_ff - 1);
  copy_into(dead.w.b_1, {0}, unit);
  copy_into(dead.w.w_1, std::vector<float>(std::size_t(d_model)), unit * d_model);
  check("one unit without weights: ", dead);
}
