#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/divergence/divergence.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/embedding/embedding.hpp"
#include "ops/heads/heads.hpp"
#include "ops/layer_norm/layer_norm.hpp"
#include "ops/linear/linear.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/relative_shift/relative_shift.hpp"
#include "ops/rms_norm/rms_norm.hpp"
#include "ops/rotary/rotary.hpp"
#include "ops/shape/shape_ops.hpp"
#include "ops/softmax/softmax.hpp"
#include "ops/top_k/top_k.hpp"
#include "support/devices.hpp"

// Every op on the emulated device against the CPU: odd sizes, empty rows, several schedules.
namespace xf::test {

namespace {

std::string of(const std::string& op, const Tensor& x) { return op + " of " + x.shape().str(); }

// Sizes that fill blocks and warps, and such that do not.
const Shape shapes[] = {{1}, {31}, {3, 5}, {2, 3, 33}, {257}, {4, 300}};

}  // namespace

TEST_CASE("cuda: element by element") {
  for (const Shape& shape : shapes) {
    const Tensor a = random(shape, 1), b = random(shape, 2);
    expect_agreement(of("add", a), {a, b}, [](const Inputs& in) { return in[0] + in[1]; });
    expect_agreement(of("multiply", a), {a, b}, [](const Inputs& in) { return in[0] * in[1]; });
    expect_agreement(of("scale", a), {a}, [](const Inputs& in) { return -1.5f * in[0]; });
    expect_agreement(of("scale_rows", a), {a}, [&](const Inputs& in) {
      return scale_rows(in[0], random({a.shape().rows()}, 3).to(in[0].device()));
    });
    expect_agreement(of("relu", a), {a}, [](const Inputs& in) { return relu(in[0]); });
    expect_agreement(of("gelu", a), {a}, [](const Inputs& in) { return gelu(in[0]); });
    expect_agreement(of("gelu_tanh", a), {a}, [](const Inputs& in) { return gelu_tanh(in[0]); });
    expect_agreement(of("silu", a), {a}, [](const Inputs& in) { return silu(in[0]); });
    expect_agreement(of("sigmoid", a), {a}, [](const Inputs& in) { return sigmoid(in[0]); });
    expect_agreement(of("tanh", a), {a}, [](const Inputs& in) { return tanh(in[0]); });
    expect_agreement(of("sum", a), {a}, [](const Inputs& in) { return sum(in[0]); });
  }
  const Tensor large = random({70000}, 3);
  expect_agreement(of("sum", large), {large}, [](const Inputs& in) { return sum(in[0]); });
}

TEST_CASE("cuda: activations of numbers far from 0, and of what is no number") {
  const Tensor far = Tensor::from({6}, {100, -100, 30, -30, 0, -0.0f}),
               none = Tensor::from({2}, {NAN, -NAN});
  for (Tensor (*const activation)(const Tensor&) : {relu, gelu, gelu_tanh, silu, sigmoid, tanh}) {
    expect_agreement("activation", {far}, [=](const Inputs& in) { return activation(in[0]); });
    under_schedules([&] {
      for (const float y : activation(none.to(Device::cuda)).values()) CHECK(std::isnan(y));
    });
  }
}

TEST_CASE("cuda: the first of the largest numbers of a row") {
  for (int columns : {1, 5, 32, 33, 200}) {
    Tensor x = random({9, columns}, 1);
    copy_into(x, std::vector<float>(static_cast<std::size_t>(columns), 3.0f), 2 * columns);
    copy_into(x, {9}, 5 * columns - 1);
    under_schedules([&] { CHECK(argmax(x.to(Device::cuda)) == argmax(x)); });
  }
}

TEST_CASE("cuda: the k largest numbers of a row, of equal ones the first, NaN last") {
  Random random(2);
  for (int columns : {1, 5, 31, 257, 700, 2600}) {
    std::vector<float> numbers;  // most of them several times
    for (int i = 0; i < 3 * columns; ++i)
      numbers.push_back(static_cast<float>(random.below(1 + columns / 3)));
    numbers[static_cast<std::size_t>(columns / 2)] = NAN;
    numbers[static_cast<std::size_t>(columns)] = -INFINITY;
    numbers.back() = INFINITY;
    for (int i = 0; i < columns; ++i)  // each is larger than all before it
      numbers.push_back(static_cast<float>(i));
    const Tensor x = Tensor::from({4, columns}, numbers), there = x.to(Device::cuda);
    for (int k : {1, 2, 13, 64, 65}) {
      const std::vector<Placed> want = top_k(x, k);
      under_schedules([&] {
        const std::vector<Placed> got = top_k(there, k);
        REQUIRE(got.size() == want.size());
        for (std::size_t i = 0; i < want.size(); ++i) {
          CHECK(got[i].index == want[i].index);
          CHECK(got[i].value == want[i].value);
        }
      });
    }
  }
}

TEST_CASE("cuda: add with repeats") {
  for (int rows : {1, 2, 7, 8, 9, 100, 300})
    for (int columns : {1, 31, 32, 65, 150}) {
      const Tensor a = random({rows, columns}, 1), b = random({columns}, 2);
      expect_agreement(of("add", a), {a, b}, [](const Inputs& in) { return in[0] + in[1]; });
    }
}

TEST_CASE("cuda: softmax, with every kind of mask") {
  const int b = 2, h = 3, t = 5;
  for (int s : {1, 7, 32, 33, 70}) {
    const Tensor x = random({b, h, t, s}, 1);
    const auto with = [](const Mask& mask) {
      return [mask](const Inputs& in) { return softmax(in[0], {.scale = 0.7f, .mask = mask}); };
    };
    expect_agreement(of("softmax", x), {x}, with({}));
    for (const Shape& shape : {Shape{1, 1, s}, Shape{b, 1, s}, Shape{1, t, s}, Shape{b, t, s}}) {
      Ids allowed = Ids::full(shape, 1);
      Random draw(3);
      for (std::int32_t& each : allowed) each = draw.below(3) > 0;
      for (int j = 0; j < s; ++j) allowed[allowed.count() - 1 - j] = 0;  // nothing at all
      expect_agreement(of("softmax", x) + " under " + shape.str(), {x}, with({allowed}));
    }
  }
}

TEST_CASE("cuda: softmax does not use what is masked") {
  Tensor x = Tensor::from({1, 1, 1, 4}, {1, NAN, 2, INFINITY});
  const Ids allowed({1, 1, 4}, {1, 0, 1, 0});
  expect_agreement("softmax", {x},
                   [&](const Inputs& in) { return softmax(in[0], {.mask = allowed}); });
}

TEST_CASE("cuda: RMSNorm and rotations") {
  for (int rows : {1, 4, 9, 40, 300})
    for (int columns : {3, 32, 65, 300}) {
      const Tensor x = random({rows, columns}, 1), gamma = random({columns}, 2);
      expect_agreement(of("rms_norm", x), {x, gamma},
                       [](const Inputs& in) { return rms_norm(in[0], in[1]); });
    }
  for (const Shape& shape : {Shape{1, 1, 2}, Shape{2, 7, 12}, Shape{3, 40, 64}}) {
    const Tensor x = random(shape, 1), turns = random({shape[1], 2}, 2);
    const Tensor wide = random({shape[1], shape[2]}, 3);  // one head
    for (const Tensor& each : {turns, wide})
      expect_agreement(of("rotate", x), {x},
                       [&](const Inputs& in) { return rotate(in[0], each.to(in[0].device())); });
  }
}

TEST_CASE("cuda: layer norm") {
  for (int rows : {1, 4, 5, 9, 40, 300})
    for (int columns : {3, 31, 32, 65, 300}) {
      const Tensor x = random({rows, columns}, 1), gamma = random({columns}, 2),
                   beta = random({columns}, 3);
      expect_agreement(of("layer norm", x), {x, gamma, beta},
                       [](const Inputs& in) { return layer_norm(in[0], in[1], in[2], 1e-5f); });
    }
  Tensor far = random({6, 20}, 4);  // from 0: E[x^2] - E[x]^2 has too few digits for it
  replace_each(far, [](float number) { return number + 30; });
  const Tensor x = random({6, 20}, 1), ones = Tensor::full({20}, 1), zeros = Tensor::zeros({20});
  expect_agreement("layer norm far from 0", {far, ones, zeros},
                   [](const Inputs& in) { return layer_norm(in[0], in[1], in[2], 1e-5f); });
  expect_agreement("layer norm of x alone", {x}, [&](const Inputs& in) {
    const Device device = in[0].device();
    return layer_norm(in[0], ones.to(device), zeros.to(device), 1e-5f);
  });
}

TEST_CASE("cuda: shapes and heads") {
  for (const Shape& shape : {Shape{2, 3, 4}, Shape{1, 1, 1}, Shape{3, 33, 65}, Shape{2, 70, 30}}) {
    const Tensor x = random(shape, 1), y = random(shape, 2);
    expect_agreement(of("transpose", x), {x}, [](const Inputs& in) { return transpose(in[0]); });
    for (int axis : {0, 1, 2})
      expect_agreement(of("concat", x), {x, y},
                       [axis](const Inputs& in) { return concat(in[0], in[1], axis); });
  }
  const Tensor x = random({4, 6, 5}, 3);
  for (int axis : {0, 1, 2})
    expect_agreement(of("slice", x), {x},
                     [axis](const Inputs& in) { return slice(in[0], axis, 1, 3); });
  expect_agreement(of("slice", x), {x}, [](const Inputs& in) { return slice(in[0], 1, 2, 0); });
  expect_agreement(of("reshape", x), {x}, [](const Inputs& in) { return reshape(in[0], {6, 20}); });
  expect_agreement(of("gather_rows", x), {x}, [](const Inputs& in) {
    return gather_rows(in[0], {3, 0, 0, 2, 0});
  });
  const Tensor wide = random({2, 7, 12}, 4);
  expect_agreement(of("split_heads", wide), {wide},
                   [](const Inputs& in) { return split_heads(in[0], 3); });
  const Tensor apart = random({2, 3, 7, 5}, 5);
  expect_agreement(of("merge_heads", apart), {apart},
                   [](const Inputs& in) { return merge_heads(in[0]); });
  for (const Shape& shape : {Shape{3, 4, 4}, Shape{2, 3, 5}, Shape{1, 1, 3}, Shape{2, 9, 40}}) {
    const Tensor scores = random(shape, 6);
    expect_agreement(of("relative_shift", scores), {scores},
                     [](const Inputs& in) { return relative_shift(in[0]); });
  }
}

TEST_CASE("cuda: dropout takes the same elements as on the CPU") {
  for (int count : {1, 511, 1024, 1025, 3000})
    for (float p : {0.1f, 0.5f, 0.9999f}) {
      const Tensor x = random({count}, 1);
      expect_agreement(
          of("dropout", x), {x}, [p](const Inputs& in) { return dropout(in[0], p); }, 0);
    }
}

TEST_CASE("cuda: embedding, ids that occur often, once and never") {
  for (int width : {1, 33, 200}) {
    const Tensor table = random({7, width}, 1);
    const Ids ids({3, 5}, {2, 2, 0, 6, 2, 1, 1, 2, 2, 2, 0, 6, 6, 2, 5});
    expect_agreement(of("embedding", table), {table},
                     [&](const Inputs& in) { return embedding(ids, in[0]); });
    expect_agreement("embedding twice", {table}, [&](const Inputs& in) {
      return embedding(ids, in[0]) + embedding(ids, in[0]);
    });
  }
}

TEST_CASE("cuda: the gradient of an embedding, with runs of one id of every length") {
  std::vector<std::int32_t> numbers;  // 1 is there once, 2 31 times ... 7 never, 8 100 times
  for (const auto& [id, times] :
       {std::pair{1, 1}, {2, 31}, {3, 32}, {4, 33}, {5, 64}, {6, 65}, {8, 100}, {0, 2}})
    for (int i = 0; i < times; ++i) numbers.push_back(id);
  Random random_order(3);
  for (std::size_t i = numbers.size(); i > 1; --i)
    std::swap(numbers[i - 1],
              numbers[static_cast<std::size_t>(random_order.below(static_cast<int>(i)))]);
  const Ids ids({1, static_cast<int>(numbers.size())}, numbers);
  const Tensor table = random({10, 133}, 1);
  // Of 100 numbers, in another order: the rounding of each addition is 2^-24 of the sum at most.
  expect_agreement(
      of("embedding", table), {table}, [&](const Inputs& in) { return embedding(ids, in[0]); },
      100 * std::exp2(-24));
  expect_agreement(
      "embedding twice", {table},
      [&](const Inputs& in) { return embedding(ids, in[0]) + embedding(ids, in[0]); },
      200 * std::exp2(-24));
}

TEST_CASE("cuda: ids that were changed are copied again") {
  const Tensor table = random({7, 3}, 1).to(Device::cuda);
  Ids ids({1, 3}, {0, 1, 4});
  expect_same("before", embedding(ids, table).to(Device::cpu),
              embedding(ids, table.to(Device::cpu)));
  ids[1] = 5;
  expect_same("after", embedding(ids, table).to(Device::cpu),
              embedding(ids, table.to(Device::cpu)));
}

TEST_CASE("cuda: cross-entropy, its gradient also in place, and what search reads") {
  for (int columns : {2, 31, 256, 700}) {
    const Tensor logits = 3 * random({4, columns}, 1);
    const Ids targets({4}, {1, 0, -1, columns - 1});
    for (float smoothing : {0.0f, 0.1f})
      for (double divisor : {0.0, 11.0}) {
        const CrossEntropyOptions options{.smoothing = smoothing, .divisor = divisor};
        expect_agreement(of("cross_entropy", logits), {logits},
                         [&](const Inputs& in) { return cross_entropy(in[0], targets, options); });
        expect_agreement(of("cross_entropy in place", logits), {logits}, [&](const Inputs& in) {
          return 2 * cross_entropy_in_place(1 * in[0], targets, options);
        });
      }
    expect_agreement("all ignored", {logits}, [&](const Inputs& in) {
      return cross_entropy_in_place(1 * in[0], Ids::full({4}, -1), {});
    });
    const Tensor there = logits.to(Device::cuda);
    expect_close("log_softmax", log_softmax(there).to(Device::cpu), log_softmax(logits));
    expect_close("log_softmax in place", log_softmax_in_place(there.clone()).to(Device::cpu),
                 log_softmax(logits));
    const std::vector<float> got = log_likelihood(there, targets),
                             want = log_likelihood(logits, targets);
    for (std::size_t i = 0; i < 4; ++i) CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-5));
    const Tensor other = 2 * random({4, columns}, 2);
    expect_agreement(of("symmetric_divergence", logits), {logits, other},
                     [](const Inputs& in) { return symmetric_divergence(in[0], in[1], 3); });
  }
}

TEST_CASE("cuda: matrix products") {
  for (int m : {1, 31, 33, 70})
    for (int n : {1, 32, 65})
      for (int k : {1, 15, 40}) {
        const Tensor a = random({m, k}, 1), b = random({k, n}, 2), bt = random({n, k}, 3),
                     bias = random({n}, 4);
        expect_agreement(of("matmul", a), {a, b},
                         [](const Inputs& in) { return matmul(in[0], in[1]); });
        expect_agreement(of("matmul, transposed", a), {a, bt},
                         [](const Inputs& in) { return matmul(in[0], in[1], Transpose::yes); });
        expect_agreement(of("linear", a), {a, bt, bias},
                         [](const Inputs& in) { return linear(in[0], in[1], in[2]); });
        expect_agreement(of("linear twice", a), {a, bt}, [](const Inputs& in) {
          return linear(in[0], in[1], {}) + linear(in[0], in[1], {});
        });
      }
  const Tensor a = random({2, 3, 5, 4}, 5), b = random({2, 3, 4, 6}, 6),
               bt = random({2, 3, 6, 4}, 7);
  expect_agreement("stacks", {a, b}, [](const Inputs& in) { return matmul(in[0], in[1]); });
  expect_agreement("stacks, transposed", {a, bt},
                   [](const Inputs& in) { return matmul(in[0], in[1], Transpose::yes); });
  const Tensor none = Tensor::zeros({3, 0}), empty = Tensor::zeros({0, 2});
  expect_agreement("nothing to sum", {none, empty},
                   [](const Inputs& in) { return matmul(in[0], in[1]); });
}

TEST_CASE("cuda: several layers on the same row") {
  const Tensor x = random({1, 9}, 1), w = random({5, 9}, 2), v = random({3, 9}, 3),
               bias = random({5}, 4);
  const Tensor none;
  const auto on = [&](Device device) {
    const Tensor wd = w.to(device), vd = v.to(device), bd = bias.to(device);
    return linear(x.to(device), {{wd, bd}, {vd, none}});
  };
  const std::vector<Tensor> got = on(Device::cuda), want = on(Device::cpu);
  for (std::size_t i = 0; i < 2; ++i) expect_close("linear", got[i].to(Device::cpu), want[i]);
}

}  // namespace xf::test
