#include "ops/attention/attend_rows.hpp"

#include <cmath>

#include "autograd/recorder.hpp"
#include "ops/shape/shape_ops.hpp"
#include "support/golden.hpp"
#include "support/grad_check.hpp"
#include "support/threads.hpp"

namespace xf::test {

TEST_CASE("growing rows: what was appended stays, in order, through every growth") {
  GrowingRows rows;
  for (int i = 0; i < 50; ++i) {
    rows.append(Tensor::full({2, 1, 3}, static_cast<float>(i)));
    CHECK(rows.shape() == Shape{2 * (i + 1), 3});
  }
  for (int n = 0; n < 100 * 3; ++n) CHECK(rows.data(Cpu{})[n] == static_cast<float>(n / 6));
}

TEST_CASE("growing rows: a copy does not see what is appended to the other") {
  GrowingRows one(Tensor::full({1, 2}, 1.0f));
  GrowingRows two = one;
  one.append(Tensor::full({1, 2}, 2.0f));
  two.append(Tensor::full({1, 2}, 3.0f));
  GrowingRows three = two;
  two.append(Tensor::full({1, 2}, 4.0f));
  three.append(Tensor::full({1, 2}, 5.0f));
  CHECK(one.data(Cpu{})[2] == 2);
  CHECK(two.data(Cpu{})[2] == 3);
  CHECK(two.data(Cpu{})[4] == 4);
  CHECK(three.data(Cpu{})[4] == 5);
  expect_error([&] { one.append(zeros(1, 3)); }, {"append: ", "2 numbers", "(1, 3)"});
}

TEST_CASE("growing rows: rows that are kept move up, in a copy's own memory") {
  GrowingRows rows(8, 2);
  for (int i = 0; i < 6; ++i) rows.append(Tensor::full({1, 2}, static_cast<float>(i)));
  const GrowingRows before = rows;
  rows.keep(std::vector<int>{1, 4, 5});
  CHECK(rows.shape() == Shape{3, 2});
  CHECK(rows.room() == 8);
  for (int i = 0; i < 3; ++i) CHECK(rows.data(Cpu{})[2 * i] == std::vector<float>{1, 4, 5}[i]);
  for (int i = 0; i < 6; ++i) CHECK(before.data(Cpu{})[2 * i] == static_cast<float>(i));
  const float* memory = rows.data(Cpu{});
  rows.keep(std::vector<int>{2});
  CHECK(rows.data(Cpu{}) == memory);
  CHECK(rows.data(Cpu{})[1] == 5);
  expect_error([&] { rows.keep(std::vector<int>{1}); }, {"keep: ", "(1, 2)", "not 1"});
  expect_error([&] { rows.keep(std::vector<int>{0, 0}); }, {"keep: ", "not 0"});
  rows.keep({});
  CHECK(rows.count() == 0);
}

TEST_CASE("attend_rows: equals softmax(q K^T / sqrt(Dk)) V, summed by hand, for each head's size") {
  for (int d_k : {1, 5, 32, 64, 80}) {
    const int heads = 3, width = heads * d_k;
    const Tensor q = detach(random_leaf({2, 1, width}, 1));
    const Tensor k = detach(random_leaf({9, width}, 2)), v = detach(random_leaf({9, width}, 3));
    const RowLists seen = {{0, 2, 3, 8, 5, 5}, {7}};
    const Tensor y = attend_rows(q, GrowingRows(k), GrowingRows(v), seen, heads);
    Tensor want = Tensor::zeros(q.shape());
    for (int b = 0; b < 2; ++b)
      for (int h = 0; h < heads; ++h) {
        const std::vector<int>& rows = seen[static_cast<std::size_t>(b)];
        const float* query = q.values().begin() + b * width + h * d_k;
        std::vector<double> weights;
        double sum = 0;
        for (int row : rows) {
          double dot = 0;
          for (int i = 0; i < d_k; ++i)
            dot += double(query[i]) * double(k.values()[row * width + h * d_k + i]);
          weights.push_back(std::exp(dot / std::sqrt(double(d_k))));
          sum += weights.back();
        }
        for (int i = 0; i < d_k; ++i) {
          double total = 0;
          for (std::size_t j = 0; j < rows.size(); ++j)
            total += weights[j] / sum * double(v.values()[rows[j] * width + h * d_k + i]);
          copy_into(want, {static_cast<float>(total)}, b * width + h * d_k + i);
        }
      }
    expect_close("head of " + std::to_string(d_k), y, want, 2e-6);
  }
}

TEST_CASE("attend_rows: agrees with PyTorch") {
  const auto stored = [](const std::string& name) { return ops_golden()("attend_rows/" + name); };
  const RowLists seen = {{0, 2, 3, 8, 5, 5}, {7}};
  const Tensor y =
      attend_rows(stored("q"), GrowingRows(stored("k")), GrowingRows(stored("v")), seen, 2);
  for (int b : {0, 1})
    expect_close("y", reshape(slice(y, 0, b, 1), {1, 6}), stored("y." + std::to_string(b)));
}

TEST_CASE("attend_rows: a recorder gets the weights of each list, in its order") {
  for (int d_k : {5, 32, 64}) {
    const int heads = 2, width = heads * d_k;
    const Tensor q = detach(random_leaf({3, 1, width}, 1));
    const Tensor k = detach(random_leaf({9, width}, 2)), v = detach(random_leaf({9, width}, 3));
    const RowLists seen = {{0, 2, 3, 8}, {7}, {}};
    const Tensor plain = attend_rows(q, GrowingRows(k), GrowingRows(v), seen, heads);
    Recorder recorder;
    expect_same("y", attend_rows(q, GrowingRows(k), GrowingRows(v), seen, heads), plain);
    const Tensor& weights = recorder.of("weights");
    REQUIRE(weights.shape() == Shape{3, heads, 1, 4});
    Tensor by_weights = Tensor::zeros(q.shape());
    for (int b = 0; b < 3; ++b)
      for (int h = 0; h < heads; ++h) {
        const std::vector<int>& rows = seen[static_cast<std::size_t>(b)];
        const float* weight = weights.values().begin() + (b * heads + h) * 4;
        for (std::size_t j = 0; j < 4; ++j) {
          if (j >= rows.size()) CHECK(weight[j] == 0);
          for (int i = h * d_k; j < rows.size() && i < (h + 1) * d_k; ++i)
            copy_into(
                by_weights,
                {by_weights.values()[b * width + i] + weight[j] * v.values()[rows[j] * width + i]},
                b * width + i);
        }
      }
    expect_close("head of " + std::to_string(d_k), by_weights, plain, 2e-6);
  }
}

TEST_CASE("attend_rows: the same digits with any number of threads, for few queries and for many") {
  for (int d_k : {5, 32, 64})
    for (int queries : {1, 3, 50}) {
      const int heads = 3, width = heads * d_k, rows = 700;
      const Tensor q = detach(random_leaf({queries, 1, width}, 1));
      const GrowingRows k(detach(random_leaf({rows, width}, 2)));
      const GrowingRows v(detach(random_leaf({rows, width}, 3)));
      RowLists seen;
      for (int b = 0; b < queries; ++b)
        for (seen.emplace_back(); std::ssize(seen.back()) < rows - 7 * b;)
          seen.back().push_back((b + 3 * int(seen.back().size())) % rows);
      std::vector<Tensor> found, weights;
      for (int count : {1, 2, 4}) {
        const Threads used(count);
        Recorder recorder;
        found.push_back(attend_rows(q, k, v, seen, heads));
        weights.push_back(recorder.of("weights"));
        expect_same("y", found.back(), found.front());
        expect_same("weights", weights.back(), weights.front());
      }
    }
}

TEST_CASE("attend_rows: a query that may see nothing gets zeros") {
  for (int width : {4, 64}) {
    const GrowingRows rows(Tensor::full({1, width}, 2.0f));
    const Tensor y = attend_rows(Tensor::full({1, 1, width}, 1.0f), rows, rows, {{}}, 2);
    for (float x : y.values()) CHECK(x == 0);
  }
}

TEST_CASE("attend_rows: what does not fit is refused") {
  const GrowingRows rows(Tensor::zeros({3, 4}));
  const Tensor q = Tensor::zeros({1, 1, 4});
  expect_error([&] { attend_rows(q, rows, rows, {{3}}, 2); }, {"attend_rows: ", "row 3", "(3, 4)"});
  expect_error([&] { attend_rows(q, rows, rows, {{-1}}, 2); }, {"attend_rows: ", "row -1"});
  expect_error([&] { attend_rows(q, rows, rows, {{0}}, 3); }, {"attend_rows: ", "3 heads"});
  expect_error([&] { attend_rows(q, rows, rows, {{0}, {0}}, 2); }, {"attend_rows: ", "2 lists"});
  Tape tape;
  expect_error(
      [&] {
        attend_rows(random_leaf({1, 1, 4}, 1), rows, rows, {{0}}, 2);
      },
      {"attend_rows: ", "no backward"});
}

}  // namespace xf::test
