#include "ops/reduce/reduce.hpp"

#include <limits>

#include "ops/check.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

TEST_CASE("reduce: worked by hand") {
  const Tensor x = Tensor::from({2, 2}, {1, 2, 3, -10});
  expect_same("sum", sum(x), Tensor::full({}, -4));
  expect_same("weighted", weighted_sum(x, Tensor::from({2, 2}, {1, 0, 2, -1})),
              Tensor::full({}, 17));
}

TEST_CASE("reduce: agrees with the xtensor formula") {
  const Tensor x = random_leaf({3, 7, 11}, 1);
  expect_close("sum", sum(x), Tensor::full({}, static_cast<float>(xt_reference::sum(x))));
  const Tensor weights = detach(random_leaf(x.shape(), 4));
  expect_close("weighted_sum", weighted_sum(x, weights),
               Tensor::full({}, float(xt_reference::sum(xt_reference::multiply(x, weights)))));
}

TEST_CASE("reduce: sums in double") {
  Tensor x = Tensor::full({1 << 20}, 0.1f);
  CHECK(sum(x).item() == doctest::Approx(0.1f * (1 << 20)).epsilon(1e-6));
  copy_into(x, {1e8f}, 0);  // in float, adding 0.1 to 1e8 changes nothing
  CHECK(sum(x).item() == doctest::Approx(1e8 + 0.1f * ((1 << 20) - 1)).epsilon(1e-7));
}

TEST_CASE("reduce: forward and gradients agree with PyTorch") {
  check_case(ops_golden(), "sum", {"x"}, [](const Inputs& in) { return sum(in[0]); });
  check_case(ops_golden(), "weighted_sum", {"x"}, [](const Inputs& in) {
    return weighted_sum(in[0], ops_golden()("weighted_sum/weights"));
  });
}

TEST_CASE("reduce: backward matches finite differences") {
  const Tensor x = random_leaf({2, 3}, 2), weights = detach(random_leaf({2, 3}, 3));
  check_gradients("sum", {{"x", x}}, [&] { return sum(x); });
  check_gradients("weighted_sum", {{"x", x}}, [&] { return weighted_sum(x, weights); });
}

TEST_CASE("argmax: the first of the largest numbers of each row") {
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(argmax(Tensor::from({3, 1, 4}, {0, 2, 2, 1, -3, -2, -5, -4, -inf, 0, inf, 1})) ==
        std::vector<int>{1, 1, 2});
  CHECK(argmax(Tensor::zeros({0, 4})).empty());
  expect_error([] { argmax(zeros(3, 0)); }, {"argmax: "});
}

TEST_CASE("ops: inputs on several devices are refused, with the op's name") {
  struct OnDevice {  // what common_device() asks of a tensor
    Device where;
    bool exists = true;
    bool defined() const { return exists; }
    Device device() const { return where; }
  };
  const OnDevice cpu{Device::cpu}, cuda{Device::cuda}, none{Device::cpu, false};
  CHECK(common_device("add", cpu, cpu) == Device::cpu);
  CHECK(common_device("linear", cuda, cuda, none) == Device::cuda);
  CHECK(common_device("add", none) == Device::cpu);
  expect_error([&] { common_device("linear", cuda, cuda, cpu); },
               {"linear: ", "cuda", " and on cpu"});
}

TEST_CASE("reduce: what does not fit is refused") {
  expect_error([] { weighted_sum(zeros(2, 3), zeros(3, 2)); },
               {"weighted_sum: ", "(2, 3)", "(3, 2)"});
}

}  // namespace xf::test
