#include "ops/softmax/softmax.hpp"

#include <limits>

#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

TEST_CASE("softmax: worked by hand, with and without a scale") {
  const float ln2 = std::log(2.0f);
  const Tensor x = Tensor::from({2, 3}, {0, ln2, 2 * ln2, 5, 5, 5});
  const Tensor y = Tensor::from({2, 3}, {1 / 7.f, 2 / 7.f, 4 / 7.f, 1 / 3.f, 1 / 3.f, 1 / 3.f});
  expect_close("y", softmax(x), y);
  const Tensor half = Tensor::from({2, 3}, {0, 2 * ln2, 4 * ln2, 10, 10, 10});
  expect_close("scaled", softmax(half, {.scale = 0.5f}), y);
}

TEST_CASE("softmax: agrees with the xtensor formula at all widths") {
  for (int width : {1, 2, 7, 16, 33, 200}) {
    const Tensor x = random_leaf({5, width}, 1, 4);
    expect_close("softmax", softmax(x, {.scale = 0.7f}), xt_reference::softmax(x, 0.7f));
  }
}

TEST_CASE("softmax: forward and gradients agree with PyTorch") {
  check_case(ops_golden(), "softmax.plain", {"x"}, [](const Inputs& in) { return softmax(in[0]); });
  check_case(ops_golden(), "softmax.scaled", {"x"},
             [](const Inputs& in) { return softmax(in[0], {.scale = 0.5f}); });
  for (const char* name : {"softmax.keys", "softmax.causal", "softmax.full"}) {
    const Mask mask{ops_golden().ids(std::string(name) + "/mask")};
    check_case(ops_golden(), name, {"x"},
               [&](const Inputs& in) { return softmax(in[0], {.scale = 0.7f, .mask = mask}); });
  }
}

TEST_CASE("softmax: backward matches finite differences") {
  const Tensor x = random_leaf({2, 2, 3, 4}, 2);
  check_gradients("softmax", {{"x", x}}, [&] { return softmax(x, {.scale = 0.8f}); });
  const Mask mask{Ids({2, 3, 4}, {1, 1, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0,  //
                                  1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1})};
  check_gradients("softmax, masked", {{"x", x}},
                  [&] { return softmax(x, {.scale = 0.8f, .mask = mask}); });
}

TEST_CASE("softmax: large and shifted scores neither overflow nor change the result") {
  const Tensor x = Tensor::from({1, 3}, {1000, 1001, 998});
  const Tensor shifted = Tensor::from({1, 3}, {0, 1, -2});
  expect_close("shift", softmax(x), softmax(shifted));
  expect_same("far apart", softmax(Tensor::from({1, 2}, {-3e4f, 3e4f})),
              Tensor::from({1, 2}, {0, 1}));
}

TEST_CASE("softmax: a row that is allowed nothing gives zeros and no gradient") {
  const Tensor x = random_leaf({1, 2, 2, 3}, 3);
  const Mask mask{Ids({1, 2, 3}, {0, 0, 0, 1, 1, 1})};
  Tape tape;
  const Tensor y = softmax(x, {.mask = mask});
  const Gradients gradients = tape.backward(weighted_sum(y, random_leaf(y.shape(), 4)));
  for (int h = 0; h < 2; ++h)
    for (int i = 0; i < 3; ++i) {
      CHECK(y.values()[h * 6 + i] == 0);
      CHECK(gradients.of(x).values()[h * 6 + i] == 0);
      CHECK(y.values()[h * 6 + 3 + i] > 0);
    }
}

TEST_CASE("softmax: masked cells may hold NaN or infinity, forward and backward") {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  const Tensor clean = random_leaf({1, 1, 4, 5}, 5);
  const Tensor dirty = parameter(clean.clone());
  const Mask mask{Ids({1, 4, 5}, {1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0})};
  Tensor cells = dirty;  // the same numbers
  copy_into(cells, {nan}, 1);
  copy_into(cells, {inf}, 5);
  copy_into(cells, {-inf}, 12);
  copy_into(cells, {nan}, 14);
  for (int i = 15; i < 20; ++i) copy_into(cells, {i % 2 ? nan : inf}, i);
  const Tensor weights = detach(random_leaf(clean.shape(), 6));
  const auto run = [&](const Tensor& x) {
    Tape tape;
    const Tensor y = softmax(x, {.scale = 0.6f, .mask = mask});
    return std::pair{y, tape.backward(weighted_sum(y, weights)).of(x)};
  };
  const auto [y, dx] = run(clean);
  const auto [dirty_y, dirty_dx] = run(dirty);
  expect_same("y", dirty_y, y);
  expect_same("dx", dirty_dx, dx);
}

TEST_CASE("softmax: a mask of ones changes nothing; axes of size 1 stand for all") {
  const Tensor x = random_leaf({2, 3, 4, 5}, 7);
  for (const Shape& shape : {Shape{1, 1, 5}, Shape{2, 1, 5}, Shape{1, 4, 5}, Shape{2, 4, 5}})
    expect_close("ones", softmax(x, {.mask = {Ids::full(shape, 1)}}), softmax(x), 1e-6);
  const Ids keys({1, 1, 5}, {1, 1, 0, 1, 0});
  Ids repeated = Ids::full({2, 4, 5}, 0);
  for (int row = 0; row < 8; ++row) std::copy_n(keys.begin(), 5, repeated.begin() + row * 5);
  expect_same("repeated", softmax(x, {.mask = {repeated}}), softmax(x, {.mask = {keys}}));
}

TEST_CASE("softmax: no columns, no rows") {
  for (const Shape& shape : {Shape{2, 0}, Shape{0, 3}, Shape{0}}) {
    const Tensor x = parameter(Tensor::zeros(shape));
    Tape tape;
    CHECK(tape.backward(sum(softmax(x))).of(x).shape() == shape);
  }
}

TEST_CASE("softmax: a NaN that is allowed is not hidden") {
  const Tensor y = softmax(Tensor::from({1, 3}, {1, std::nanf(""), 2}));
  CHECK(std::isnan(y.values()[0]));
}

TEST_CASE("softmax: a scale that is not positive is refused: the largest x would not be on top") {
  for (float scale : {0.0f, -1.0f, std::nanf("")})
    expect_error([&] { softmax(zeros(2, 3), {.scale = scale}); }, {"softmax: ", "scale"});
}

TEST_CASE("softmax: masks that do not fit are refused with both shapes") {
  const Tensor x = Tensor::zeros({2, 3, 4, 5});
  const auto with = [](const Tensor& scores, const Shape& shape) {
    return [=] { softmax(scores, {.mask = {Ids::full(shape, 1)}}); };
  };
  expect_error(with(x, {2, 4, 4}), {"softmax: ", "(2, 3, 4, 5)", "(2, 4, 4)"});
  expect_error(with(x, {3, 1, 5}), {"softmax: ", "(2, 3, 4, 5)", "(3, 1, 5)"});
  expect_error(with(x, {1, 3, 5}), {"softmax: ", "(2, 3, 4, 5)", "(1, 3, 5)"});
  expect_error(with(x, {1, 5}), {"softmax: ", "(2, 3, 4, 5)", "(1, 5)"});
  expect_error(with(zeros(4, 5), {1, 4, 5}), {"softmax: ", "(4, 5)", "(1, 4, 5)"});
}

}  // namespace xf::test
