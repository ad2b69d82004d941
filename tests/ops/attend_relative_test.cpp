#include "ops/attention/attend_relative.hpp"

#include <cmath>

#include "autograd/recorder.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/relative_shift/relative_shift.hpp"
#include "ops/shape/shape_ops.hpp"
#include "ops/softmax/softmax.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/xt_reference.hpp"

namespace xf::test {

namespace {

struct Case {
  int batch, heads, t, s, r_rows, d_k;
  int window = 1 << 20;  // a query sees only so many keys, as with same_length
};
// Memory longer and shorter than the segment, none, one query, more distances than keys; the last
// ones take several blocks of queries, and products of OpenBLAS.
const Case cases[] = {{2, 3, 4, 9, 9, 2},           {1, 2, 5, 6, 8, 3},
                      {2, 2, 4, 4, 4, 2, 2},        {3, 1, 1, 5, 7, 2},
                      {1, 1, 1, 1, 1, 2},           {2, 2, 2, 3, 3, 1},
                      {2, 2, 65, 90, 101, 16},      {1, 3, 150, 150, 150, 8},
                      {1, 2, 130, 300, 300, 4, 40}, {1, 1, 1100, 1300, 1300, 4}};

struct Given {
  Tensor q_u, q_v, k, v, r;
};
Given inputs_of(const Case& c) {
  const Shape queries{c.batch, c.heads, c.t, c.d_k}, keys{c.batch, c.heads, c.s, c.d_k};
  return {random_leaf(queries, 1), random_leaf(queries, 2), random_leaf(keys, 3),
          random_leaf(keys, 4), random_leaf({1, c.heads, c.r_rows, c.d_k}, 5)};
}
std::vector<std::pair<std::string, Tensor>> named(const Given& in) {
  return {{"q_u", in.q_u}, {"q_v", in.q_v}, {"k", in.k}, {"v", in.v}, {"r", in.r}};
}

Mask seen(const Case& c) {
  Ids allowed = Ids::full({1, c.t, c.s}, 0);
  for (int i = 0; i < c.t; ++i)
    for (int j = 0, own = i + c.s - c.t; j <= own; ++j) allowed[i * c.s + j] = own - j < c.window;
  return {allowed};
}

constexpr float root = 0.6f;  // the scale

// With an op a step.
Tensor weights_by_steps(const Given& in, const Mask& mask) {
  const int batch = in.k.size(0), s = in.k.size(2);
  const Tensor used = slice(in.r, 2, in.r.size(2) - s, s);
  const Tensor each = gather_rows(used, std::vector<int>(static_cast<std::size_t>(batch), 0));
  const Tensor position = relative_shift(matmul(in.q_v, each, Transpose::yes));
  return softmax(matmul(in.q_u, in.k, Transpose::yes) + position, {.scale = root, .mask = mask});
}
Tensor by_steps(const Given& in, const Mask& mask) {
  return matmul(weights_by_steps(in, mask), in.v);
}
Tensor in_one(const Given& in, const Mask& mask, float dropout = 0) {
  return attend_relative(in.q_u, in.q_v, in.k, in.v, in.r,
                         {.scale = root, .mask = mask, .dropout = dropout});
}

}  // namespace

TEST_CASE("attend_relative: worked by hand") {
  // Query 0 stands at key 1, query 1 at key 2; distances 2, 1, 0 are worth 3, 2, 1.
  const Given in{Tensor::from({1, 1, 2, 1}, {1, 2}), Tensor::from({1, 1, 2, 1}, {1, -1}),
                 Tensor::from({1, 1, 3, 1}, {1, 2, 3}), Tensor::from({1, 1, 3, 1}, {10, 20, 30}),
                 Tensor::from({1, 1, 4, 1}, {7, 3, 2, 1})};  // 7 is too far
  const Tensor y =
      attend_relative(in.q_u, in.q_v, in.k, in.v, in.r, {.mask = seen({1, 1, 2, 3, 4, 1})});
  // Query 0: scores 1 + 2 and 2 + 1, equal. Query 1: 2 - 3, 4 - 2, 6 - 1.
  CHECK(y.values()[0] == doctest::Approx(15));
  const double a = std::exp(-1), b = std::exp(2), c = std::exp(5);
  CHECK(y.values()[1] == doctest::Approx((10 * a + 20 * b + 30 * c) / (a + b + c)));
}

TEST_CASE("attend_relative: agrees with the xtensor formula in every sentence and head") {
  for (const Case& c : {cases[0], cases[1], cases[3], cases[6]}) {
    const Given in = inputs_of(c);
    const Tensor y = in_one(in, seen(c));
    for (int b = 0; b < c.batch; ++b)
      for (int h = 0; h < c.heads; ++h) {
        const auto head = [&](const Tensor& x, int sentence) {
          return reshape(slice(slice(x, 0, sentence, 1), 1, h, 1), {x.size(2), c.d_k});
        };
        expect_close("head", head(y, b),
                     xt_reference::attend_relative(head(in.q_u, b), head(in.q_v, b), head(in.k, b),
                                                   head(in.v, b), head(in.r, 0), root));
      }
  }
}

TEST_CASE("attend_relative: forward and gradients agree with PyTorch") {
  for (const std::string name : {"attend_relative.memory", "attend_relative.no_memory"}) {
    const Mask mask{ops_golden().ids(name + "/mask")};
    check_case(ops_golden(), name, {"q_u", "q_v", "k", "v", "r"}, [&](const Inputs& in) {
      return in_one({in[0], in[1], in[2], in[3], in[4]}, mask);
    });
  }
}

TEST_CASE("attend_relative: is what an op a step gives, gradients and weights too") {
  for (const Case& c : cases) {
    const Given in = inputs_of(c);
    const Mask mask = seen(c);
    const Tensor y = in_one(in, mask);
    expect_close("y", y, by_steps(in, mask), 1e-5);
    Recorder recorder;
    expect_same("y, recorded", in_one(in, mask), y);
    expect_close("weights", recorder.of("weights"), weights_by_steps(in, mask), 1e-5);
    expect_close("scores", softmax(recorder.of("scores"), {.scale = root, .mask = mask}),
                 weights_by_steps(in, mask), 1e-5);
    const Tensor factors = detach(random_leaf(in.q_u.shape(), 6));
    const auto gradients = [&](auto form) {
      Tape tape;
      return tape.backward(weighted_sum(form(in, mask), factors));
    };
    const Gradients one = gradients([](auto... x) { return in_one(x...); });
    const Gradients steps = gradients([](auto... x) { return by_steps(x...); });
    for (const auto& [name, x] : named(in)) expect_close(name, one.of(x), steps.of(x), 1e-5);
  }
}

TEST_CASE("attend_relative: backward matches finite differences, dropout included") {
  for (const Case& c : {cases[0], cases[1], cases[2], cases[3]})
    for (float dropout : {0.0f, 0.3f}) {
      const Given in = inputs_of(c);
      check_gradients("attend_relative", named(in), [&] {
        const Training training(7);
        return in_one(in, seen(c), dropout);
      });
    }
}

TEST_CASE("attend_relative: gradients add to what other uses of the inputs gave") {
  const Case c = cases[6];
  const Given in = inputs_of(c);
  const Mask mask = seen(c);
  const Tensor factors = detach(random_leaf(in.q_u.shape(), 6));
  Tape tape;
  const Tensor once = weighted_sum(in_one(in, mask), factors);
  const Gradients single = tape.backward(once);
  Tape again;
  const Tensor twice =
      weighted_sum(in_one(in, mask), factors) + weighted_sum(in_one(in, mask), factors);
  const Gradients both = again.backward(twice);
  for (const auto& [name, x] : named(in))
    expect_close(name, both.of(x), scale(detach(single.of(x)), 2), 1e-6);
}

TEST_CASE("attend_relative: inputs that are one tensor get the sum of their gradients") {
  for (const Case& c : {Case{2, 2, 4, 4, 4, 3}, Case{1, 2, 150, 150, 150, 4}}) {
    const Tensor x = random_leaf({c.batch, c.heads, c.t, c.d_k}, 1);
    const Tensor r = random_leaf({1, c.heads, c.r_rows, c.d_k}, 2);
    const Mask mask = seen(c);
    const Tensor factors = detach(random_leaf(x.shape(), 6));
    const auto gradient = [&](auto form) {
      Tape tape;
      return tape.backward(weighted_sum(form(Given{x, x, x, x, r}), factors)).of(x);
    };
    const Tensor one = gradient([&](const Given& in) { return in_one(in, mask); });
    expect_close("dx", one, gradient([&](const Given& in) { return by_steps(in, mask); }));
  }
}

TEST_CASE("attend_relative: dropout keeps 1 - p of the weights, scaled, other ones in every head") {
  const Case c{2, 2, 70, 200, 200, 4};
  Given in = inputs_of(c);
  in.v = Tensor::full(in.v.shape(), 1);
  in.q_u = in.q_v = Tensor::zeros(in.q_u.shape());  // every key that is seen weighs the same
  const Training training(3);
  const Tensor y = in_one(in, seen(c), 0.25f);
  double mean = 0;
  for (float x : y.values()) mean += x / double(y.count());
  CHECK(std::abs(mean - 1) < 0.02);  // 4 * 70 rows of some 165 keys: a deviation of 0.003
  for (int head = 1; head < 4; ++head)
    CHECK(!difference("head", reshape(slice(reshape(y, {4, 70, 4}), 0, 0, 1), {70, 4}),
                      reshape(slice(reshape(y, {4, 70, 4}), 0, head, 1), {70, 4}))
               .empty());
}

TEST_CASE("attend_relative: what does not fit is refused") {
  const Tensor q = Tensor::zeros({2, 2, 4, 3}), k = Tensor::zeros({2, 2, 6, 3});
  const Tensor r = Tensor::zeros({1, 2, 6, 3});
  const Mask mask = seen({2, 2, 4, 6, 6, 3});
  const auto refused = [&](const Tensor& q_v, const Tensor& key, const Tensor& v,
                           const Tensor& rows, const Mask& allowed,
                           std::initializer_list<const char*> words) {
    expect_error([&] { attend_relative(q, q_v, key, v, rows, {.mask = allowed}); }, words);
  };
  refused(q, k, k, Tensor::zeros({1, 2, 5, 3}), mask,
          {"attend_relative: ", "(2, 2, 6, 3)", "(1, 2, 5, 3)"});
  refused(q, k, k, Tensor::zeros({2, 2, 6, 3}), mask, {"attend_relative: "});
  refused(k, k, k, r, mask, {"attend_relative: "});
  refused(q, k, q, r, mask, {"attend_relative: "});
  refused(q, k, k, r, {}, {"attend_relative: ", "mask", "undefined"});
  expect_error([&] { attend_relative(q, q, k, k, r, {.scale = 0, .mask = mask}); },
               {"attend_relative: ", "scale"});
  expect_error([&] { attend_relative(q, q, k, k, r, {.mask = mask, .dropout = 1}); },
               {"dropout: ", "1.0"});
  refused(q, k, k, r, seen({1, 1, 4, 5, 5, 1}), {"attend_relative: ", "(1, 4, 5)"});
}

}  // namespace xf::test
