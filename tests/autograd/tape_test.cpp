#include "autograd/tape.hpp"

#include <memory>
#include <thread>

#include "ops/elementwise/elementwise.hpp"
#include "ops/linear/linear.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/shape/shape_ops.hpp"
#include "support/grad_check.hpp"

namespace xf::test {

namespace {

Tensor leaf(std::initializer_list<float> values) {
  return parameter(Tensor::from({static_cast<int>(values.size())}, values));
}

Tensor vector(std::initializer_list<float> values) {
  return Tensor::from({static_cast<int>(values.size())}, values);
}

}  // namespace

TEST_CASE("tape: the gradient of a product, worked by hand") {
  const Tensor a = leaf({1, 2}), b = leaf({3, 5});
  Tape tape;
  const Gradients gradients = tape.backward(sum(a * b));
  expect_same("da", gradients.of(a), vector({3, 5}));
  expect_same("db", gradients.of(b), vector({1, 2}));
}

TEST_CASE("tape: a tensor with two consumers receives the sum of both gradients") {
  const Tensor x = leaf({1, 2});
  Tape tape;
  const Tensor h = 3.0f * x;
  const Gradients gradients = tape.backward(sum(h * h + 2.0f * h));  // 9x^2 + 6x
  expect_same("dx", gradients.of(x), vector({24, 42}));
}

TEST_CASE("tape: a + b hands one gradient to both, and later sums corrupt neither") {
  const Tensor x = leaf({1, 2}), z = leaf({5, 7});
  const Tensor w = vector({10, 100}), v = vector({1000, 10000});
  const auto gradients_of = [&](bool late_first) {
    Tape tape;
    const Tensor a = 1.0f * x, b = 1.0f * z;
    // Backward walks from the end: y's gradient reaches a and b (shared), then more is added.
    const Tensor early = late_first ? weighted_sum(a, v) : weighted_sum(b, v);
    const Tensor y = a + b;
    return tape.backward(early + weighted_sum(y, w));
  };
  const Gradients a_twice = gradients_of(true);
  expect_same("dx", a_twice.of(x), vector({1010, 10100}));
  expect_same("dz", a_twice.of(z), vector({10, 100}));
  const Gradients b_twice = gradients_of(false);
  expect_same("dx", b_twice.of(x), vector({10, 100}));
  expect_same("dz", b_twice.of(z), vector({1010, 10100}));
}

TEST_CASE("tape: the same with leaves, whose gradients are kept") {
  const Tensor a = leaf({1, 2}), b = leaf({5, 7});
  const Tensor w = vector({10, 100}), v = vector({1000, 10000});
  Tape tape;
  const Tensor early = weighted_sum(a, v);
  const Tensor y = a + b, z = reshape(y, {2, 1});
  const Tensor twice = a + a;
  const Gradients gradients =
      tape.backward(early + weighted_sum(z, reshape(w, {2, 1})) + weighted_sum(twice, w));
  expect_same("da", gradients.of(a), vector({1030, 10300}));
  expect_same("db", gradients.of(b), vector({10, 100}));
}

TEST_CASE("tape: an op that adds into a gradient while it computes leaves the shared one alone") {
  const Tensor x = parameter(Tensor::from({1, 2}, {1, 2}));
  const Tensor z = parameter(Tensor::from({1, 2}, {5, 7}));
  Tape tape;
  const Tensor a = 1.0f * x, b = 1.0f * z;
  const Tensor product = linear(a, Tensor::from({1, 2}, {10, 100}), {});
  const Gradients gradients = tape.backward(sum(product) + sum(a + b));
  expect_same("dx", gradients.of(x), Tensor::from({1, 2}, {11, 101}));
  expect_same("dz", gradients.of(z), Tensor::from({1, 2}, {1, 1}));
}

TEST_CASE("tape: a residual chain of many sums agrees with finite differences") {
  const Tensor x = random_leaf({3, 4}, 1), weight = random_leaf({4, 4}, 2, 0.3);
  check_gradients("residual", {{"x", x}, {"weight", weight}}, [&] {
    Tensor h = x;
    for (int i = 0; i < 3; ++i) h = h + silu(linear(h, weight, {}));
    return h + x;
  });
}

TEST_CASE("tape: an output that the loss does not use gets no gradient") {
  const Tensor a = leaf({1}), b = leaf({2}), unseen = leaf({3});
  Tape tape;
  const Tensor dead = b * b;
  const Gradients gradients = tape.backward(sum(a * a));
  expect_same("da", gradients.of(a), vector({2}));
  CHECK_FALSE(gradients.of(b).defined());
  CHECK_FALSE(gradients.of(unseen).defined());
}

TEST_CASE("tape: detach lets the numbers through and no gradient") {
  const Tensor x = leaf({2, 3});
  Tape tape;
  const Tensor h = x * x;
  const Tensor stopped = detach(h);
  expect_same("numbers", stopped, h);
  const Gradients gradients = tape.backward(sum(h * stopped));  // d(x^2 c) = 2x c, c = x^2
  expect_same("dx", gradients.of(x), vector({16, 54}));
  CHECK(detach(x).leaf == false);
}

TEST_CASE("tape: nothing is recorded without a tape, or when no input is tracked") {
  const Tensor x = leaf({1, 2});
  CHECK(Tape::active() == nullptr);
  const Tensor before = x * x;
  CHECK(before.node.tape == 0);
  Tape tape;
  CHECK(Tape::active() == &tape);
  const Tensor constant = vector({1, 2}) * vector({3, 4});
  CHECK(tape.size() == 0);
  CHECK(constant.node.tape == 0);
  CHECK_FALSE(tracked({&constant, &before}));
  CHECK(tracked({&constant, &x}));
  const Tensor y = x * constant;
  CHECK(tape.size() == 2);  // the leaf and the product
  CHECK(tracked({&y}));
}

TEST_CASE("tape: empty after backward, and ready for the next step") {
  const Tensor x = leaf({1, 2});
  Tape tape;
  const Tensor h = x * x;
  tape.backward(sum(h));
  CHECK(tape.size() == 0);
  const Gradients second = tape.backward(sum(x * h));  // h is a constant now
  expect_same("dx", second.of(x), vector({1, 4}));
}

TEST_CASE("tape: backward() frees what the ops saved") {
  const Tensor x = leaf({1, 2});
  Tape tape;
  const Tensor h = x * 3.0f;
  const Tensor y = h * h;  // saves h
  CHECK_FALSE(h.sole_owner());
  tape.backward(sum(y));
  CHECK(h.sole_owner());
}

TEST_CASE("gradients: sums over several backward() calls, and starts anew after reset()") {
  const Tensor x = leaf({1, 2}), weight = parameter(Tensor::from({1, 2}, {3, 4}));
  Gradients gradients;
  const auto run = [&](float factor) {
    Tape tape;
    // linear() adds into the gradient while it computes; x also gets a plain gradient.
    tape.backward(sum(factor * linear(reshape(x, {1, 2}), weight, {})) + sum(x), gradients);
  };
  run(1);
  expect_same("dw", gradients.of(weight), Tensor::from({1, 2}, {1, 2}));
  expect_same("dx", gradients.of(x), vector({4, 5}));
  run(10);
  expect_same("dw", gradients.of(weight), Tensor::from({1, 2}, {11, 22}));
  expect_same("dx", gradients.of(x), vector({35, 46}));
  gradients.reset();
  CHECK_FALSE(gradients.of(weight).defined());
  run(2);
  expect_same("dw", gradients.of(weight), Tensor::from({1, 2}, {2, 4}));
  expect_same("dx", gradients.of(x), vector({7, 9}));
}

TEST_CASE("gradients: a parameter unused after reset() has no left-over gradient") {
  const Tensor a = leaf({1}), b = leaf({2});
  Gradients gradients;
  Tape tape;
  tape.backward(sum(a * b), gradients);
  gradients.reset();
  tape.backward(sum(a * a), gradients);
  expect_same("da", gradients.of(a), vector({2}));
  CHECK_FALSE(gradients.of(b).defined());
  tape.backward(sum(b * b), gradients);
  expect_same("da", gradients.of(a), vector({2}));
  expect_same("db", gradients.of(b), vector({4}));
}

TEST_CASE("gradients: used on the tape but not by the loss keeps the earlier sum") {
  const Tensor a = leaf({1}), b = leaf({2});
  Gradients gradients;
  Tape tape;
  tape.backward(sum(a * b), gradients);
  const Tensor dead = b * b;
  tape.backward(sum(a * a), gradients);
  expect_same("da", gradients.of(a), vector({4}));
  expect_same("db", gradients.of(b), vector({1}));
}

TEST_CASE("gradients: an earlier result is not changed by a later backward()") {
  const Tensor x = leaf({1, 2});
  Tape tape;
  const Gradients first = tape.backward(sum(x * x));
  const Tensor kept = first.of(x);
  const Gradients second = tape.backward(sum(5.0f * x));
  expect_same("first", kept, vector({2, 4}));
  expect_same("second", second.of(x), vector({5, 5}));
}

TEST_CASE("gradients: a kept handle is not overwritten when reset() reuses the memory") {
  const Tensor weight = parameter(Tensor::from({1, 2}, {3, 4}));
  Gradients gradients;
  const auto run = [&](float x) {
    Tape tape;  // linear() writes into the gradient while it computes
    tape.backward(sum(linear(Tensor::from({1, 2}, {x, x}), weight, {})), gradients);
  };
  run(1);
  const Tensor kept = gradients.of(weight);
  gradients.reset();
  run(10);
  expect_same("kept", kept, Tensor::from({1, 2}, {1, 1}));
  expect_same("dw", gradients.of(weight), Tensor::from({1, 2}, {10, 10}));
}

TEST_CASE("gradients: no two parameters share the numbers of a gradient, as Adam changes them") {
  const Tensor a = leaf({1, 2}), b = leaf({3, 4});
  Tape tape;
  const Gradients gradients = tape.backward(weighted_sum(a + b, vector({5, 6})));
  CHECK(gradients.of(a).key() != gradients.of(b).key());
  expect_same("da", gradients.of(a), gradients.of(b));
}

TEST_CASE("gradients: two handles of one parameter are one parameter") {
  const Tensor weight = leaf({3});
  const Tensor tied = weight;
  Tape tape;
  const Gradients gradients = tape.backward(sum(weight * tied));
  expect_same("dw", gradients.of(tied), vector({6}));
}

TEST_CASE("gradients: two parameters over one memory, and detached handles, are told apart") {
  const Tensor a = leaf({1, 2}), b = parameter(detach(a));
  Tape tape;
  const Gradients gradients = tape.backward(sum(2.0f * a) + sum(3.0f * b) + sum(5.0f * detach(a)));
  expect_same("da", gradients.of(a), vector({2, 2}));
  expect_same("db", gradients.of(b), vector({3, 3}));
}

TEST_CASE("gradients: a parameter that is gone leaves nothing to a later one in its memory") {
  Gradients gradients;
  for (float factor : {3.0f, 2.0f}) {
    const Tensor w = leaf({1, 1});
    Tape tape;
    tape.backward(sum(factor * w), gradients);
    expect_same("dw", gradients.of(w), vector({factor, factor}));
  }
}

TEST_CASE("tape: a backward may use the library's ops on what it saved") {
  const Tensor x = leaf({1, 1});
  Tape tape;
  Tensor h = x;
  for (int i = 0; i < 9; ++i)  // h <- h^2: many, so that a list that grew would move
    h = record("square", detach(h) * detach(h), {&h},
               [h](InputGradients& in, const Tensor& dy) { in.add(0, 2.0f * h * dy); });
  const Gradients gradients = tape.backward(sum(slice(h, 0, 0, 1)));
  expect_same("dx", gradients.of(x), vector({512, 0}));
}

TEST_CASE("tape: a gradient of another size, and a parameter changed since, are refused") {
  Tensor w = leaf({1, 2});
  {
    Tape tape;
    const Tensor y = record("wrong", Tensor::full({1}, 1.0f), {&w},
                            [](InputGradients& in, const Tensor& dy) { in.add(0, dy); });
    CHECK_THROWS_WITH(tape.backward(y), "backward: the gradient (1) is not that of a tensor (2)");
    CHECK(tape.size() == 0);
  }
  Tape tape;
  const Tensor loss = sum(w * w);
  copy_into(w, {100, 100});
  CHECK_THROWS_WITH(tape.backward(loss), "backward: a parameter (2) was changed after it was used");
}

TEST_CASE("tape: tapes may end in any order") {
  const Tensor w = leaf({1, 2});
  std::unique_ptr<Tape> tape;
  for (int i = 0; i < 2; ++i) {
    tape = std::make_unique<Tape>();  // the new one begins before the old one ends
    expect_same("dw", tape->backward(sum(w * w)).of(w), vector({2, 4}));
  }
  tape.reset();
  CHECK(Tape::active() == nullptr);
}

TEST_CASE("tape: nested tapes; the inner one sees the outer one's tensors as constants") {
  const Tensor x = leaf({2});
  Tape outer;
  const Tensor h = x * x;
  {
    Tape inner;
    CHECK(Tape::active() == &inner);
    const Gradients gradients = inner.backward(sum(h * x));
    expect_same("inner", gradients.of(x), vector({4}));
  }
  CHECK(Tape::active() == &outer);
  const Gradients gradients = outer.backward(sum(h * x));
  expect_same("outer", gradients.of(x), vector({12}));
}

TEST_CASE("tape: each thread has its own active tape") {
  const Tensor x = leaf({3});
  Tape tape;
  Gradients elsewhere;
  std::thread worker([&] {
    CHECK(Tape::active() == nullptr);
    Tape own;
    own.backward(sum(x * x), elsewhere);
  });
  worker.join();
  CHECK(tape.size() == 0);
  expect_same("dx", elsewhere.of(x), vector({6}));
}

TEST_CASE("tape: backward() refuses a loss of another tape and one that is not a number") {
  const Tensor x = leaf({1, 2});
  const Tensor unrecorded = sum(x);
  Tape tape;
  expect_error([&] { tape.backward(unrecorded); }, {"backward: ", "tape"});
  expect_error([&] { tape.backward(x * x); }, {"backward: ", "(2)"});
  expect_error([&] { tape.backward(Tensor()); }, {"backward: "});
}

TEST_CASE("tape: ops do not change their inputs") {
  const Tensor x = random_leaf({3, 4}, 5), y = random_leaf({3, 4}, 6);
  const Tensor x_before = x.clone(), y_before = y.clone();
  Tape tape;
  const Tensor z = matmul(x, x + y, Transpose::yes);
  tape.backward(sum(gelu(z) + z));
  expect_same("x", x, x_before);
  expect_same("y", y, y_before);
}

}  // namespace xf::test
