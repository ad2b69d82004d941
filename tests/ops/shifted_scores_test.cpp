#include "ops/relative_shift/shifted_scores.hpp"

#include "ops/elementwise/elementwise.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/relative_shift/relative_shift.hpp"
#include "ops/shape/shape_ops.hpp"
#include "ops/softmax/softmax.hpp"
#include "support/grad_check.hpp"

namespace xf::test {

namespace {

struct Case {
  int batch, heads, t, s, r_rows, d_k;
};
// Memory longer and shorter than the segment, none, one query, and a table of distances that is
// longer than the keys; the last ones are large enough for the products of OpenBLAS.
const Case cases[] = {{2, 3, 4, 9, 9, 2},     {1, 2, 5, 6, 8, 3},    {2, 2, 4, 4, 4, 2},
                      {3, 1, 1, 5, 7, 2},     {1, 1, 1, 1, 1, 2},    {2, 2, 2, 3, 3, 1},
                      {2, 2, 33, 70, 81, 16}, {1, 3, 64, 64, 64, 32}};

struct Inputs {
  Tensor q_u, k, q_v, r;
};
Inputs inputs_of(const Case& c) {
  return {random_leaf({c.batch, c.heads, c.t, c.d_k}, 1),
          random_leaf({c.batch, c.heads, c.s, c.d_k}, 2),
          random_leaf({c.batch, c.heads, c.t, c.d_k}, 3),
          random_leaf({1, c.heads, c.r_rows, c.d_k}, 4)};
}

// The form with an op a step.
Tensor by_steps(const Inputs& in) {
  const int batch = in.k.size(0), s = in.k.size(2);
  const Tensor used = slice(in.r, 2, in.r.size(2) - s, s);
  const Tensor each = gather_rows(used, std::vector<int>(static_cast<std::size_t>(batch), 0));
  return matmul(in.q_u, in.k, Transpose::yes) +
         relative_shift(matmul(in.q_v, each, Transpose::yes));
}

Mask seen(int t, int s) {
  Ids allowed = Ids::full({1, t, s}, 0);
  for (int i = 0; i < t; ++i) std::fill_n(allowed.data() + i * s, s - t + i + 1, 1);
  return {allowed};
}

}  // namespace

TEST_CASE("shifted_scores: worked by hand") {
  const Tensor q_u = Tensor::from({1, 1, 2, 1}, {1, 2}), q_v = Tensor::from({1, 1, 2, 1}, {3, 5});
  const Tensor k = Tensor::from({1, 1, 3, 1}, {1, 10, 100});
  const Tensor r = Tensor::from({1, 1, 4, 1}, {7000, 3000, 2000, 1000});  // 7000 is too far
  // Query 0 stands at key 1, query 1 at key 2; distances 2, 1, 0 are worth 3000, 2000, 1000.
  const Tensor y = shifted_scores(q_u, k, q_v, r);
  CHECK(y.data()[0] == 1 * 1 + 3 * 2000);
  CHECK(y.data()[1] == 1 * 10 + 3 * 1000);  // y[0, 2] is the future
  CHECK(y.data()[3] == 2 * 1 + 5 * 3000);
  CHECK(y.data()[4] == 2 * 10 + 5 * 2000);
  CHECK(y.data()[5] == 2 * 100 + 5 * 1000);
}

TEST_CASE("shifted_scores: what a query may see is as with an op a step, gradients too") {
  for (const Case& c : cases) {
    const Inputs in = inputs_of(c);
    const Mask mask = seen(c.t, c.s);
    const auto run = [&](const Tensor& scores) {
      return softmax(scores, {.scale = 0.5f, .mask = mask});
    };
    expect_close("weights", run(shifted_scores(in.q_u, in.k, in.q_v, in.r)), run(by_steps(in)),
                 1e-5);
    const Tensor weights = detach(random_leaf({c.batch, c.heads, c.t, c.s}, 5));
    const auto gradients = [&](auto form) {
      Tape tape;
      return tape.backward(weighted_sum(run(form()), weights));
    };
    const Gradients fast = gradients([&] { return shifted_scores(in.q_u, in.k, in.q_v, in.r); });
    const Gradients slow = gradients([&] { return by_steps(in); });
    for (const Tensor& x : {in.q_u, in.k, in.q_v, in.r})
      expect_close("gradient", fast.of(x), slow.of(x), 1e-5);
  }
}

TEST_CASE("shifted_scores: backward matches finite differences") {
  for (const Case& c : {cases[0], cases[1], cases[2], cases[3]}) {
    const Inputs in = inputs_of(c);
    const Mask mask = seen(c.t, c.s);
    check_gradients(
        "shifted_scores", {{"q_u", in.q_u}, {"k", in.k}, {"q_v", in.q_v}, {"r", in.r}}, [&] {
          return softmax(shifted_scores(in.q_u, in.k, in.q_v, in.r), {.scale = 0.5f, .mask = mask});
        });
  }
}

TEST_CASE("shifted_scores: shapes that do not fit are refused") {
  const Tensor q = Tensor::zeros({2, 2, 4, 3}), k = Tensor::zeros({2, 2, 6, 3});
  const Tensor r = Tensor::zeros({1, 2, 6, 3});
  expect_error(
      [&] {
        shifted_scores(q, k, q, Tensor::zeros({1, 2, 5, 3}));
      },
      {"shifted_scores: ", "(2, 2, 6, 3)", "(1, 2, 5, 3)"});
  expect_error([&] { shifted_scores(k, q, k, r); }, {"shifted_scores: "});
  expect_error([&] { shifted_scores(q, k, k, r); }, {"shifted_scores: "});
  expect_error([&] { shifted_scores(q, k, q, Tensor::zeros({2, 2, 6, 3})); }, {"shifted_scores: "});
}

}  // namespace xf::test
