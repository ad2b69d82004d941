#include "ops/matmul/matmul.hpp"

#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduce.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

TEST_CASE("matmul: worked by hand, b as it is and transposed") {
  const Tensor a = Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = Tensor::from({3, 2}, {1, 0, 2, -1, 0, 1});
  const Tensor b_t = Tensor::from({2, 3}, {1, 2, 0, 0, -1, 1});
  const Tensor y = Tensor::from({2, 2}, {5, 1, 14, 1});
  expect_same("a b", matmul(a, b), y);
  expect_same("a b^T", matmul(a, b_t, Transpose::yes), y);
}

TEST_CASE("matmul: agrees with the xtensor formula") {
  const Tensor a = random_leaf({5, 7}, 1), b = random_leaf({7, 4}, 2);
  expect_close("a b", matmul(a, b), xt_reference::matmul(a, b));
  const Tensor b_t = xt_reference::transpose(b);
  expect_close("a b^T", matmul(a, b_t, Transpose::yes), xt_reference::matmul(a, b));
}

TEST_CASE("matmul: few rows times a large matrix, every number of rows, uneven sizes") {
  for (int rows = 1; rows <= 9; ++rows) {  // up to 8 rows have kernels of their own
    const Tensor a = random_leaf({rows, 731}, 1), b = random_leaf({731, 751}, 2);
    const Tensor expected = xt_reference::matmul(a, b);
    expect_close("a b", matmul(a, b), expected);
    expect_close("a b^T", matmul(a, xt_reference::transpose(b), Transpose::yes), expected);
    const Tensor weights = Tensor::full({rows, 751}, 0.5f), w = random_leaf({751, 731}, 3);
    Tape tape;  // twice the same product: the second gradient is added to the first
    const Tensor y = matmul(a, w, Transpose::yes) + matmul(a, w, Transpose::yes);
    const Gradients gradients = tape.backward(weighted_sum(y, weights));
    expect_close("da", gradients.of(a), xt_reference::matmul(Tensor::full({rows, 751}, 1.0f), w));
  }
}

TEST_CASE("matmul: up to 32 rows against transposed weights, in blocks, uneven sizes") {
  const Tensor b = random_leaf({133, 271}, 5), b_t = xt_reference::transpose(b);
  for (int rows = 1; rows <= 33; ++rows) {
    const Tensor a = random_leaf({rows, 133}, 4);
    expect_close("a b^T", matmul(a, b_t, Transpose::yes), xt_reference::matmul(a, b));
  }
}

TEST_CASE("matmul: few rows whose product is added to a gradient") {
  const Tensor a = random_leaf({5, 300}, 6), w = random_leaf({300, 260}, 7);
  const Tensor weights = detach(random_leaf({5, 260}, 8));
  Tape tape;  // da gets dy w^T twice, dw a^T dy twice
  const Tensor y = matmul(a, w) + matmul(a, w);
  const Gradients gradients = tape.backward(weighted_sum(y, weights));
  const Tensor twice = xt_reference::add(weights.view({1, 5, 260}), weights);
  expect_close("da", gradients.of(a),
               xt_reference::matmul(twice.view({5, 260}), xt_reference::transpose(w)));
}

TEST_CASE("matmul: forward and gradients agree with PyTorch") {
  for (const char* rank : {"2", "3", "4"}) {
    check_case(ops_golden(), std::string("matmul.no.") + rank, {"a", "b"},
               [](const Inputs& in) { return matmul(in[0], in[1]); });
    check_case(ops_golden(), std::string("matmul.yes.") + rank, {"a", "b"},
               [](const Inputs& in) { return matmul(in[0], in[1], Transpose::yes); });
  }
  check_case(ops_golden(), "matmul.large", {"a", "b"},
             [](const Inputs& in) { return matmul(in[0], in[1]); });
}

TEST_CASE("matmul: the parallel path agrees with the products of its parts") {
  for (const auto& [m, n] : {std::pair{300, 40}, std::pair{40, 300}}) {
    const Tensor a = random_leaf({m, 90}, 3), b = random_leaf({90, n}, 4);
    expect_close("large", matmul(a, b), xt_reference::matmul(a, b));
    const Tensor b_t = xt_reference::transpose(b);
    expect_close("large, transposed", matmul(a, b_t, Transpose::yes), xt_reference::matmul(a, b));
  }
}

TEST_CASE("matmul: backward matches finite differences") {
  const Tensor a = random_leaf({2, 3, 4}, 5), b = random_leaf({2, 4, 5}, 6);
  const Tensor b_t = random_leaf({2, 5, 4}, 7);
  check_gradients("matmul", {{"a", a}, {"b", b}}, [&] { return matmul(a, b); });
  check_gradients("matmul, transposed", {{"a", a}, {"b", b_t}},
                  [&] { return matmul(a, b_t, Transpose::yes); });
  check_gradients("x x^T", {{"a", a}}, [&] { return matmul(a, a, Transpose::yes); });
}

TEST_CASE("matmul: an empty inner axis gives zeros") {
  expect_same("zeros", matmul(Tensor::zeros({2, 0}), Tensor::zeros({0, 3})), Tensor::zeros({2, 3}));
}

TEST_CASE("matmul: shapes that do not fit are refused with both shapes") {
  const Tensor a = Tensor::zeros({2, 3}), b = Tensor::zeros({4, 5});
  expect_error([&] { matmul(a, b); }, {"matmul: ", "(2, 3)", "(4, 5)"});
  expect_error([&] { matmul(a, b, Transpose::yes); }, {"matmul: ", "(2, 3)", "(4, 5)"});
  expect_error([&] { matmul(zeros(2, 2, 3), zeros(3, 3, 4)); },
               {"matmul: ", "(2, 2, 3)", "(3, 3, 4)"});
  expect_error([&] { matmul(zeros(3), zeros(3, 4)); }, {"matmul: ", "(3)", "(3, 4)"});
}

}  // namespace xf::test
