#ifdef XF_EMULATOR
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "cuda/launch.hpp"
#include "ops/attention/kernels.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/cross_entropy/kernels.hpp"
#include "ops/divergence/kernels.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/embedding/kernels.hpp"
#include "ops/heads/kernels.hpp"
#include "ops/matmul/gemm.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/shape/kernels.hpp"
#include "ops/shape/shape_ops.hpp"
#include "ops/softmax/kernels.hpp"
#include "ops/softmax/softmax.hpp"
#include "ops/top_k/kernels.hpp"
#include "ops/top_k/top_k.hpp"
#include "support/beyond.hpp"
#include "tensor/kernels.hpp"
#include "train/exchange/kernels.hpp"
#include "train/kernels.hpp"

namespace xf::test {

TEST_CASE("beyond 65535: matrices and rows of a grid") {
  const auto product = [](Device device) {
    return matmul(random_leaf({65537, 1, 2}, 1).to(device),
                  random_leaf({65537, 2, 1}, 2).to(device))
        .to(Device::cpu);
  };
  expect_close("product", product(Device::cuda), product(Device::cpu));
  const auto turned = [](Device device) {
    return transpose(random_leaf({65537, 1, 2}, 1).to(device)).to(Device::cpu);
  };
  expect_same("transpose", turned(Device::cuda), turned(Device::cpu));
  const auto sums = [](Device device) {
    return cross_entropy(random_leaf({65537, 2}, 1).to(device), Ids::full({65537}, 1))
        .to(Device::cpu);
  };
  expect_close("loss", sums(Device::cuda), sums(Device::cpu));
}

TEST_CASE("beyond 65535: queries of a cache") {
  if (!has_room()) return;
  const LastBlock only;
  constexpr std::size_t queries = 65537, width = 2;  // two heads of one column
  const std::vector<std::vector<int>> seen(queries, {0, 1});
  const std::vector<float> q = numbers(2, 1), k = numbers(4, 2), v = numbers(4, 3);
  Buffer<float> queried(queries * width), y(queries * width);
  Sent keys(k), values(v);
  copy_to_device(queried.data() + (queries - 1) * width, q.data(), width * sizeof(float));
  kernel::attend_rows(Cuda{}, {queried.data(), keys.data(), values.data(), seen, 2, 1}, nullptr,
                      y.data());
  float got = 0;  // of the last query's last head
  copy_to_host(&got, y.data() + queries * width - 1, sizeof got);
  const double first = 1 / (1 + std::exp(double(q[1]) * (k[3] - k[1])));  // its weight
  CHECK(got == doctest::Approx(first * v[1] + (1 - first) * v[3]).epsilon(1e-5));
}

TEST_CASE("beyond 65535: sentences of a batch") {
  const LastBlock only;  // the last word of the last sentence, 33 long; the others have one word
  constexpr int sentences = 65537, length = 33, words = sentences - 1 + length, width = 4;
  std::vector<int> begins(sentences + 1);
  std::iota(begins.begin(), begins.end(), 0);
  begins.back() = words;
  const kernel::PackedHeads heads({begins, begins, true}, 1, width);
  const std::size_t size = std::size_t(words) * width;
  const std::vector<float> zeros(size), v = numbers(int(size), 1), dy = numbers(int(size), 2);
  Sent scored(zeros), values(v), gradient(dy);
  Buffer<float> log_sums(words), y(size), dq(size), dk(size), dv(size);
  kernel::attend_packed(Cuda{}, heads, {}, scored.data(), scored.data(), values.data(),
                        log_sums.data(), nullptr, y.data());
  kernel::attend_packed_backward(
      Cuda{}, heads, {}, {log_sums.data(), nullptr},
      {scored.data(), scored.data(), values.data(), y.data(), gradient.data()},
      {dq.data(), dk.data(), dv.data()});
  for (std::size_t c = size - width; c < size; ++c) {  // each of its words has the same weight
    double mean = 0;
    for (std::size_t word = 0; word < length; ++word) mean += double(v[c - word * width]) / length;
    CHECK(y.values()[c] == doctest::Approx(mean).epsilon(1e-5));
    CHECK(dv.values()[c] == doctest::Approx(dy[c] / length).epsilon(1e-5));
  }
}

TEST_CASE("beyond 65535: stretches of a row, and heads of all sentences") {
  if (!has_room()) return;
  const LastBlock only;
  constexpr std::ptrdiff_t columns = std::ptrdiff_t(65535) * 32 * 5;  // the last block has the last
  Buffer<float> x(std::size_t{columns}), y(std::size_t{columns}), factor(1);
  const float last[] = {3, 5};
  copy_to_device(x.data() + columns - 1, last, sizeof *last);
  copy_to_device(factor.data(), last + 1, sizeof *last);
  kernel::scale_rows(Cuda{}, x.data(), factor.data(), y.data(), 1, columns);
  float got = 0;
  copy_to_host(&got, y.data() + columns - 1, sizeof got);
  CHECK(got == 15);

  // One query, two keys, one column: in the end the last head is computed.
  const int batch = 65535, heads = 2;
  const std::size_t all = batch * heads;
  const auto there = [](const std::vector<float>& numbers, Buffer<float>& to) {
    copy_to_device(to.data(), numbers.data(), numbers.size() * sizeof(float));
    return std::vector<double>(numbers.end() - 2, numbers.end());
  };
  Sent mask(std::vector<std::int32_t>{1, 1});
  Buffer<float> u(all), v(all), keys(2 * all), values(2 * all), r(2 * heads), sums(all);
  const std::vector<double> q_u = there(numbers(int(all), 1), u),
                            q_v = there(numbers(int(all), 2), v),
                            k = there(numbers(2 * int(all), 3), keys),
                            o = there(numbers(2 * int(all), 4), values),
                            d = there(numbers(2 * heads, 5), r);
  kernel::attend_relative(Cuda{},
                          {.batch = batch,
                           .heads = heads,
                           .t = 1,
                           .s = 2,
                           .d_k = 1,
                           .r_rows = 2,
                           .q_u = u.data(),
                           .q_v = v.data(),
                           .k = keys.data(),
                           .v = values.data(),
                           .r = r.data(),
                           .allowed = mask.data(),
                           .allowed_step = 0,
                           .scale = 1,
                           .dropout = 0,
                           .key = 0},
                          nullptr, sums.data());
  const double more = q_u[1] * (k[1] - k[0]) + q_v[1] * (d[1] - d[0]),  // the second score
      first = 1 / (1 + std::exp(more));
  expect_numbers({sums.values().back()}, {float(first * o[0] + (1 - first) * o[1])});
}

TEST_CASE("beyond 2^32 threads: the number of one, and of its warp") {
  const dim3 block = blockIdx, size = blockDim, thread = threadIdx;
  blockIdx = dim3(1u << 25);
  blockDim = dim3(cuda::block_threads);
  threadIdx = dim3(77);
  CHECK(cuda::thread_number() == (std::ptrdiff_t{1} << 33) + 77);
  CHECK(cuda::warp_number() == (std::ptrdiff_t{1} << 28) + 2);
  blockIdx = block;
  blockDim = size;
  threadIdx = thread;
}

TEST_CASE("beyond so many threads: a factor in memory") {
  const LastBlock only;
  const std::size_t count = 2 * 1024 * 256;  // the last thread has two numbers
  Buffer<float> x(count), y(count), factor(1);
  const float last[] = {3, 5};
  copy_to_device(x.data() + count - 1, last, sizeof *last);
  copy_to_device(factor.data(), last + 1, sizeof *last);
  kernel::scale_by(Cuda{}, x.data(), factor.data(), y.data(), std::ptrdiff_t(count));
  CHECK(y.values().back() == 15);
}

TEST_CASE("beyond 2^31 numbers: each by itself") {
  if (!has_room()) return;
  const LastBlock only;
  const std::ptrdiff_t count = 2 * limit + 9;  // more than 2^32, too
  const std::vector<float> x = numbers(7, 1);
  Tail from(count, x), to(count);
  kernel::scale(Cuda{}, from.all(), 3, to.all(), count);
  std::vector<float> want = x;
  for (float& number : want) number *= 3;
  expect_numbers(to.last(7), want);
}

TEST_CASE("beyond 2^31 numbers: a copy on the device") {
  if (!has_room()) return;
  const LastBlock only;
  const std::ptrdiff_t count = limit + 10;
  const std::vector<float> x = numbers(7, 1);
  Tail from(count, x), to(count, std::vector<float>(7));
  kernel::copy(Cuda{}, from.all(), to.all(), count);
  CHECK(to.last(7) == x);
}

TEST_CASE("beyond 2^31 numbers: attention to the last rows of a cache") {
  if (!has_room()) return;
  const LastBlock only;
  constexpr std::size_t width = 33;
  const std::ptrdiff_t columns = width, rows = limit / columns + 3;
  const std::vector<float> q = numbers(33, 1), k = numbers(2 * 33, 2), v = numbers(2 * 33, 3);
  const std::vector<int> last[] = {{int(rows - 2), int(rows - 1)}};
  double difference = 0;  // of the two scores
  for (std::size_t c = 0; c < width; ++c) difference += double(q[c]) * (k[width + c] - k[c]);
  const double first = 1 / (1 + std::exp(difference / std::sqrt(33.0)));  // its weight
  std::vector<float> want;
  for (std::size_t c = 0; c < width; ++c)
    want.push_back(static_cast<float>(first * v[c] + (1 - first) * v[width + c]));
  Tail keys(rows * columns, k), values(rows * columns, v);
  Sent there(q);
  Buffer<float> y(width);
  kernel::attend_rows(Cuda{}, {there.data(), keys.all(), values.all(), last, 1, 33}, nullptr,
                      y.data());
  expect_numbers(y.values(), want);
}

TEST_CASE("beyond 2^31 numbers: rows of a softmax") {
  if (!has_room()) return;
  const LastBlock only;
  const int columns = 33;
  const std::ptrdiff_t rows = limit / columns + 3;
  const std::vector<float> x = numbers(columns, 1), dy = numbers(columns, 77);
  const OnDevice want = on_device(Device::cpu, {row(x)},
                                  [](const Inputs& in) { return softmax(in[0], {.scale = 0.5f}); });
  Tail from(rows * columns, x), to(rows * columns), upstream(rows * columns, dy);
  kernel::softmax(Cuda{}, from.all(), 0.5f, {}, to.all(), rows, columns);
  expect_numbers(to.last(columns), numbers(want.y));
  kernel::softmax_backward(Cuda{}, to.all(), upstream.all(), 0.5f, from.all(), rows, columns);
  expect_numbers(from.last(columns), numbers(want.gradients[0]));
}

TEST_CASE("beyond 2^31 numbers: the logits of a long batch") {
  if (!has_room()) return;
  const LastBlock only;
  const int columns = 50000;
  const std::ptrdiff_t rows = 2 * limit / columns + 3;
  const std::vector<float> x = numbers(columns, 1);
  Tail logits(rows * columns, x);
  Buffer<float> sums(static_cast<std::size_t>(rows));
  const float sum = x[0] - numbers(log_softmax(row(x)))[0];
  kernel::log_sum_exp(Cuda{}, logits.all(), sums.data(), rows, columns);
  expect_numbers({sums.values().back()}, {sum});
  const Placed best = top_k(row(x), 1)[0];
  std::vector<Placed> found(static_cast<std::size_t>(rows));
  kernel::top_k(Cuda{}, logits.all(), 1, found.data(), rows, columns);
  CHECK(found.back().index == best.index);
  CHECK(found.back().value == best.value);
}

TEST_CASE("beyond 2^31 numbers: the divergence of two passes") {
  if (!has_room()) return;
  const LastBlock only;
  const int columns = 32771;
  const std::ptrdiff_t rows = limit / columns + 2;
  const auto row_sums = [&](float last) {
    std::vector<float> sums(static_cast<std::size_t>(rows));
    sums.back() = last;
    return sums;
  };
  const std::vector<float> a{1.5f}, b{-0.5f};
  const float dloss = 2;
  const double factor = dloss / 3.0, log_p = 1.5 - 10, log_q = -0.5 - 11, p = std::exp(log_p),
               q = std::exp(log_q);
  const auto da = static_cast<float>(factor * (p * (log_p - log_q - 0.5) + p - q)),
             db = static_cast<float>(factor * (q * (log_q - log_p - 0.25) + q - p));
  Sent sums_of_a(row_sums(10)), sums_of_b(row_sums(11)), forth(row_sums(0.5f)),
      back(row_sums(0.25f)), upstream(std::vector{dloss});
  Tail first(rows * columns, a), second(rows * columns, b), d_first(rows * columns),
      d_second(rows * columns);
  kernel::divergence_backward(Cuda{}, first.all(), second.all(), sums_of_a.data(), sums_of_b.data(),
                              forth.data(), back.data(), 3, upstream.data(), d_first.all(),
                              d_second.all(), rows, columns);
  expect_numbers({d_first.last(1)[0], d_second.last(1)[0]}, {da, db});
}

TEST_CASE("beyond 2^31 numbers: heads, transposed matrices and a table of embeddings") {
  if (!has_room()) return;
  const LastBlock only;
  const std::vector<float> x = numbers(33, 1);
  {
    const int t = 33'000'000, heads = 2, d_k = 33;
    const std::ptrdiff_t count = std::ptrdiff_t(t) * heads * d_k;
    Tail from(count, x), to(count);
    kernel::swap_middle_axes(Cuda{}, from.all(), to.all(), 1, t, heads, d_k);
    expect_numbers(to.last(33), x);
  }
  {
    const int side = 33000;
    const std::ptrdiff_t count = std::ptrdiff_t(3) * side * side;
    Tail from(count, {x[0]}), to(count);
    kernel::transpose(Cuda{}, from.all(), to.all(), 3, side, side);
    expect_numbers(to.last(1), {x[0]});
  }
  const int words = 70'000'000, width = 33;
  Tail table(std::ptrdiff_t(words) * width, x);
  Sent ids(std::vector<std::int32_t>{words - 1});
  Buffer<float> row(33);
  kernel::gather(Cuda{}, ids.data(), table.all(), row.data(), 1, width);
  expect_numbers(row.values(), x);
}

TEST_CASE("beyond 2^31 numbers: products") {
  if (!has_room()) return;
  const LastBlock only;
  {
    const int m = 65537, n = 50001;  // one column by one row
    Sent a(numbers(m, 1)), b(numbers(n, 2));
    Tail c(std::ptrdiff_t(m) * n);
    kernel::gemm(Cuda{}, {a.data(), m, 1}, {b.data(), 1, n}, {c.all(), m, n});
    expect_numbers(c.last(1), {numbers(m, 1).back() * numbers(n, 2).back()});
  }
  const int side = 33000;
  Tail stack(std::ptrdiff_t(3) * side * side, {5});
  std::vector<float> weights(3 * side, 0.0f);
  weights.back() = 2;  // of the last matrix's last column
  Sent columns(weights);
  Buffer<float> sums(3 * side);
  kernel::batched_gemm(Cuda{}, 3, {stack.all(), side, side}, {columns.data(), side, 1},
                       {sums.data(), side, 1}, false);
  expect_numbers({sums.values().back()}, {10});
}

TEST_CASE("beyond 2^31 numbers: a parameter, its gradient and its step") {
  if (!has_room()) return;
  const LastBlock only;
  const std::ptrdiff_t count = limit + 6;
  Tail gradient(count, {1, 2, 3, 4, 5}), m(count, {0, 0, 0, 0, 0}), v(count, {0, 0, 0, 0, 0}),
      w(count, {1, 1, 1, 1, 1});
  const std::vector<kernel::ShardSums> sums = {{{gradient.all()}, count, gradient.all()}};
  CHECK(kernel::sum_gradients(Cuda{}, sums, {}).squares.back() == 55);
  const std::vector<kernel::AdamPart> parts = {
      {gradient.all(), m.all(), v.all(), w.all(), 1, count}};
  kernel::adam(Cuda{}, {0.9f, 0.99f, 0, 0.5f, 10, 1}, parts);
  // m = 0.1 g, v = 0.01 g^2: the step is 0.5 * 0.1 g / (0.1 g * 10)
  expect_numbers(w.last(5), std::vector<float>(5, 0.95f));
}

}  // namespace xf::test
#endif
