#include "ops/matmul/quantized.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/elementwise/elementwise.hpp"
#include "ops/linear/linear.hpp"
#include "ops/matmul/decoding_session.hpp"
#include "support/grad_check.hpp"
#include "support/threads.hpp"

namespace xf::test {

namespace {

kernel::Matrix transpose_of(const Tensor& w) {
  return kernel::Matrix{w.data(Cpu{}), w.size(0), w.size(1)}.transpose();
}

Tensor product(const Tensor& x, const Tensor& weight, const kernel::Epilogue& epilogue = {},
               Tensor c = {}) {
  const kernel::QuantizedMatrix b(transpose_of(weight));
  if (!c.defined()) c = Tensor::empty({x.size(0), weight.size(0)});
  dispatch_on_host([&](auto on) {
    const kernel::QuantizedProduct one{&b, {c.data(Cpu{}), c.size(0), c.size(1)}, epilogue};
    kernel::gemm(on, {x.data(Cpu{}), x.size(0), x.size(1)}, std::span(&one, 1));
  });
  return c;
}

constexpr int block = kernel::QuantizedMatrix::block;

// A row in steps, as the definition has it: one block after the other, one number after the other.
struct Row {
  std::vector<float> steps;
  std::vector<long> q;

  float step(int p) const { return steps[std::size_t(p / block)]; }
};
Row quantized(const float* x, int count) {
  Row row;
  for (int first = 0; first < count; first += block) {
    const int last = std::min(first + block, count);
    float most = 0;
    for (int p = first; p < last; ++p) most = std::max(most, std::abs(x[p]));
    row.steps.push_back(most / 127);
    for (int p = first; p < last; ++p)
      row.q.push_back(most > 0 ? std::lrint(x[p] * (127 / most)) : 0);
  }
  return row;
}

// One element of a product: whole numbers within a block, the blocks in their order.
float product(const Row& a, const Row& b) {
  float total = 0;
  for (std::size_t i = 0; i < a.steps.size(); ++i) {
    const std::size_t last = std::min((i + 1) * block, a.q.size());
    long sum = 0;
    for (std::size_t p = i * block; p < last; ++p) sum += a.q[p] * b.q[p];
    total += float(sum) * (b.steps[i] * a.steps[i]);
  }
  return total;
}

}  // namespace

TEST_CASE("int8: worked by hand") {
  // Steps of 1 and 2 for the rows of x, of 1 and .5 for those of W.
  const Tensor x = Tensor::from({2, 3}, {127, 3, -5, 254, -8, 20});
  const Tensor weight = Tensor::from({2, 3}, {127, 0, 10, 63.5f, -1, 2});
  expect_same("x W^T", product(x, weight), Tensor::from({2, 2}, {16079, 8051.5f, 32458, 16177}));
  // Between two steps: 2.4 of them are 2, 2.5 are 2, 3.5 are 4.
  const Tensor between = Tensor::from({1, 4}, {127, 2.4f, 2.5f, 3.5f});
  const Tensor one = Tensor::from({3, 4}, {0, 127, 0, 0, 0, 0, 127, 0, 0, 0, 0, 127});
  expect_same("rounding", product(between, one), Tensor::from({1, 3}, {254, 254, 508}));
}

TEST_CASE("int8: each block has a step of its own, also a last one that is not whole") {
  // 33 numbers: steps of 1 and 2 for x, of 1 and 100 for W; 4 * 5 + (3 * 2) * (1 * 100).
  std::vector<float> x(33), w(33);
  x[0] = 127, x[31] = 4, x[32] = 254;
  w[1] = 127, w[31] = 5, w[32] = 12700;
  const Tensor y = product(Tensor::from({1, 33}, x), Tensor::from({1, 33}, w));
  expect_same("x W^T", y, Tensor::from({1, 1}, {20 + 127.0f * 127 * (2 * 100)}));
}

TEST_CASE("int8: a number far beyond the others makes its own block alone coarse") {
  const int k = 96, columns = 40, far = 40;
  Tensor x = detach(random_leaf({1, k}, 2)).clone(),
         weight = detach(random_leaf({columns, k}, 1)).clone();
  for (int p = 32; p < 64; ++p) x.data(Cpu{})[p] = 0;
  for (int j = 0; j < columns; ++j) weight.data(Cpu{})[j * k + far] = 100;  // nothing is rounded
  const auto worst_error = [&] {
    const Tensor y = product(x, weight);
    double worst = 0;
    for (int j = 0; j < columns; ++j) {
      double exact = 0;
      for (int p = 0; p < k; ++p)
        exact += double(x.values()[p]) * double(weight.values()[j * k + p]);
      worst = std::max(worst, std::abs(double(y.values()[j]) - exact));
    }
    return worst;
  };
  const double before = worst_error();
  x.data(Cpu{})[far] = 1000;  // with one step for a row, most of the others would become 0
  CHECK(worst_error() < before + 1e-2);
  CHECK(before < 0.3);
}

TEST_CASE("int8: the sums are those of whole numbers, for every shape of a tile") {
  for (int rows : {1, 2, 3, 4, 5, 6, 7, 13, 70})
    for (int k : {1, 3, 31, 32, 33, 64, 70, 513})
      for (int columns : {1, 3, 16, 31, 32, 33, 100}) {
        const Tensor x = random_leaf({rows, k}, 1), weight = random_leaf({columns, k}, 2);
        const Values xs = x.values(), ws = weight.values();
        std::vector<float> wanted;
        for (int i = 0; i < rows; ++i) {
          const Row a = quantized(xs.data() + std::ptrdiff_t(i) * k, k);
          for (int j = 0; j < columns; ++j)
            wanted.push_back(product(a, quantized(ws.data() + std::ptrdiff_t(j) * k, k)));
        }
        CAPTURE(rows);
        CAPTURE(k);
        CAPTURE(columns);
        expect_same("x W^T", product(x, weight), Tensor::from({rows, columns}, wanted));
      }
}

TEST_CASE("int8: the error stays within what rounding explains, and is as large as that") {
  const int rows = 64, columns = 96;
  for (int k : {64, 256, 1024}) {
    const Tensor x = random_leaf({rows, k}, 3), weight = random_leaf({columns, k}, 4);
    const Values y = product(x, weight).values(), xs = x.values(), ws = weight.values();
    double squares = 0, predicted = 0;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        const float *a = xs.data() + std::ptrdiff_t(i) * k, *b = ws.data() + std::ptrdiff_t(j) * k;
        const Row in_a = quantized(a, k), in_b = quantized(b, k);
        double exact = 0, most = 0;
        for (int p = 0; p < k; ++p) {
          const double sa = double(in_a.step(p)), sb = double(in_b.step(p));
          exact += double(a[p]) * double(b[p]);
          most += std::abs(double(a[p])) * sb / 2 + std::abs(double(b[p])) * sa / 2 + sa * sb / 4;
          // The largest of a block is a whole number of steps: nothing of it is rounded.
          const double share = (block - 1.0) / block;
          predicted +=
              share *
              (double(a[p]) * double(a[p]) * sb * sb + double(b[p]) * double(b[p]) * sa * sa) / 12;
        }
        const double error = std::abs(double(y[std::ptrdiff_t(i) * columns + j]) - exact);
        CHECK(error <= most * (1 + 1e-5) + 1e-6);
        squares += error * error;
      }
    CAPTURE(k);
    CHECK(squares / predicted == doctest::Approx(1).epsilon(.06));
  }
}

TEST_CASE("int8: epilogue a bias and epilogue what C holds") {
  const Tensor x = random_leaf({15, 70}, 5), weight = random_leaf({45, 70}, 6);
  const Tensor bias = random_leaf({45}, 7), c = random_leaf({15, 45}, 8);
  const Tensor plain = product(x, weight);
  expect_close("bias", product(x, weight, {.bias = bias.values().data()}), add(plain, bias));
  expect_close("sum", product(x, weight, {.sum = true}, c.clone()), add(plain, c));
}

TEST_CASE(
    "int8: a row of zeros gives 0, one that is not finite NaN, and the others do not see it") {
  const Tensor weight = random_leaf({40, 20}, 1);
  Tensor x = random_leaf({5, 20}, 2);
  const Tensor before = product(x, weight);
  for (int p = 0; p < 20; ++p) x.data(Cpu{})[p] = 0;
  x.data(Cpu{})[1 * 20 + 3] = std::numeric_limits<float>::infinity();
  x.data(Cpu{})[2 * 20 + 19] = std::numeric_limits<float>::quiet_NaN();
  const Values y = product(x, weight).values(), old = before.values();
  for (int j = 0; j < 40; ++j) {
    CHECK(y[j] == 0);
    CHECK(std::isnan(y[40 + j]));
    CHECK(std::isnan(y[80 + j]));
    CHECK(y[120 + j] == old[120 + j]);
  }
  const Tensor nothing = Tensor::zeros({40, 20});
  expect_same("weights of 0", product(before.view({10, 20}), nothing), Tensor::zeros({10, 40}));
}

TEST_CASE("int8: a session's products have its digits from the first use on, with any threads") {
  const Tensor weight = random_leaf({300, 128}, 2), small = random_leaf({30, 70}, 4);
  const DecodingSession session({weight, small}, WeightPrecision::int8);
  CHECK(weight.form() != nullptr);
  CHECK(small.form() == nullptr);
  for (int count : {1, 2, 3}) {
    const Threads used(count);
    for (int rows : {1, 2, 40, 500}) {
      const Tensor x = random_leaf({rows, 128}, rows);
      expect_same("linear", linear(x, weight, {}), product(x, weight));
      const Tensor narrow = random_leaf({7, 128}, 5), bias = random_leaf({300}, 6);
      const std::vector<Tensor> all =
          linear(x, {{weight, {}}, {narrow, {}}, {weight, bias}, {weight, {}}});
      expect_same("several", all[0], product(x, weight));
      expect_same("too small to keep", all[1], linear(x, narrow, {}));
      expect_same("bias", all[2], product(x, weight, {.bias = bias.values().data()}));
      expect_same("the last", all[3], product(x, weight));
    }
  }
}

TEST_CASE("int8: a weight that has changed is no longer kept") {
  Tensor weight = random_leaf({300, 70}, 2);
  const Tensor x = random_leaf({20, 70}, 1);
  const DecodingSession session({weight}, WeightPrecision::int8);
  expect_same("bytes", linear(x, weight, {}), product(x, weight));
  weight.data(Cpu{})[7] += 1;
  expect_same("floats", linear(x, weight, {}), linear(x, weight.clone(), {}));
}

TEST_CASE("int8: sizes that do not fit are refused") {
  expect_error([] { product(zeros(2, 3), zeros(5, 4)); }, {"gemm", "a is (2, 3)", "(4, 5)"});
}

}  // namespace xf::test
