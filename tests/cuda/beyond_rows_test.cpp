#ifdef XF_EMULATOR
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "ops/attention/kernels.hpp"
#include "ops/cross_entropy/kernels.hpp"
#include "ops/dropout/bits.hpp"
#include "ops/dropout/kernels.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/embedding/kernels.hpp"
#include "ops/layer_norm/kernels.hpp"
#include "ops/relative_shift/kernels.hpp"
#include "ops/rms_norm/kernels.hpp"
#include "ops/rotary/kernels.hpp"
#include "ops/shape/kernels.hpp"
#include "support/beyond.hpp"
#include "tensor/kernels.hpp"

namespace xf::test {

// Kernels that take each row by itself. From x and dy, (rows, columns), and two numbers for each
// row they make y, which is x before, or the second of these numbers.
TEST_CASE("beyond 2^31 numbers: kernels that go by rows") {
  if (!has_room()) return;
  const LastBlock only;
  constexpr int columns = 126;
  const std::ptrdiff_t rows = (limit / columns + 4) / 2 * 2, last = rows - 2;
  const std::vector<float> x = numbers(2 * columns, 1), dy = numbers(2 * columns, 2),
                           w = numbers(columns, 3), means{0.1f, 0.2f}, scales{0.7f, 0.9f};
  Tail from(rows * columns, x), upstream(rows * columns, dy), to(rows * columns);
  Sent weights(w);
  Buffer<float> first(static_cast<std::size_t>(rows)), second(static_cast<std::size_t>(rows));
  copy_to_device(first.data() + last, means.data(), 2 * sizeof(float));
  struct Args {
    std::ptrdiff_t rows;
    const float *x, *dy, *w;
    float *first, *second, *y;
  };
  const auto agree = [&](const auto& compute) {
    std::vector<float> y = x, a = means, b = scales;
    const Args few{2, x.data(), dy.data(), w.data(), a.data(), b.data(), y.data()};
    dispatch_on_host([&](auto on) { compute(on, few); });
    copy_to_device(to.all() + last * columns, x.data(), x.size() * sizeof(float));
    copy_to_device(second.data() + last, scales.data(), 2 * sizeof(float));
    compute(Cuda{}, Args{rows, from.all(), upstream.all(), weights.data(), first.data(),
                         second.data(), to.all()});
    expect_numbers(to.last(16), {y.end() - 16, y.end()});
    float got = 0;
    copy_to_host(&got, second.data() + rows - 1, sizeof got);
    expect_numbers({got}, {b[1]});
  };
  agree([](auto on, const Args& a) {
    kernel::rms_norm(on, a.x, a.w, 1e-5f, a.y, a.second, int(a.rows), columns);
  });
  agree([](auto on, const Args& a) {
    kernel::rms_norm_backward(on, a.x, a.w, a.second, a.dy, a.y, int(a.rows), columns);
  });
  agree([](auto on, const Args& a) {
    kernel::layer_norm_backward(on, a.x, a.w, a.first, a.second, a.dy, a.y, nullptr, nullptr,
                                int(a.rows), columns);
  });
  agree([](auto on, const Args& a) {
    kernel::rotate(on, a.x, {a.w, 1, columns, 1}, a.y, a.rows, columns);
  });
  agree([](auto on, const Args& a) { kernel::add(on, a.x, a.w, a.y, a.rows, columns); });
  agree([](auto on, const Args& a) { kernel::multiply(on, a.x, a.dy, a.y, a.rows * columns); });
  agree([](auto on, const Args& a) { kernel::add_to(on, a.y, a.dy, a.rows * columns); });
  agree(
      [](auto on, const Args& a) { kernel::scale_rows(on, a.x, a.second, a.y, a.rows, columns); });
  agree([](auto on, const Args& a) {
    kernel::subtract_from_rows(on, a.x, a.second, a.y, a.rows, columns);
  });
  agree([](auto on, const Args& a) {
    kernel::copy_blocks(on, a.x, columns, a.y, columns, columns, a.rows);
  });
  agree(
      [](auto on, const Args& a) { kernel::relative_shift(on, a.x, a.y, a.rows / 2, 2, columns); });
  agree([](auto on, const Args& a) {
    kernel::relative_shift_backward(on, a.x, a.y, a.rows / 2, 2, columns);
  });
  agree([](auto on, const Args& a) {
    kernel::layer_norm(on, a.x, a.w, a.w, 1e-5f, a.y, a.first, a.second, int(a.rows), columns);
  });

  const std::ptrdiff_t count = rows * columns;
  const kernel::DropoutMask mask(0.5f, 7);
  std::vector<float> dropped;
  for (int i = 0; i < 16; ++i)
    dropped.push_back(x[x.size() - 16 + i] * mask.factor(count - 16 + i));
  kernel::dropout(Cuda{}, from.all(), 0.5f, 7, to.all(), count);
  expect_numbers(to.last(16), dropped);
}

TEST_CASE("beyond 2^31 numbers: targets and ids, and sentences of long rows") {
  if (!has_room()) return;
  const LastBlock only;
  {
    const int columns = 33000;
    const std::ptrdiff_t rows = 65537;
    const std::vector<float> x = numbers(8, 1), dloss{2};
    Tail logits(rows * columns, x), gradient(rows * columns);
    Buffer<std::int32_t> targets(rows);
    Buffer<float> sums(rows), found(rows);
    Sent upstream(dloss);
    const std::int32_t target = columns - 1;
    const float sum = 10.5f;
    copy_to_device(targets.data() + rows - 1, &target, sizeof target);
    copy_to_device(sums.data() + rows - 1, &sum, sizeof sum);
    kernel::log_likelihood(Cuda{}, logits.all(), targets.data(), sums.data(), -1, found.data(),
                           rows, columns);
    expect_numbers({found.values().back()}, {x[7] - sum});
    kernel::cross_entropy_backward(Cuda{}, logits.all(), targets.data(), sums.data(), -1, 0, 4,
                                   upstream.data(), gradient.all(), rows, columns);
    std::vector<float> want;
    for (const float logit : x) want.push_back(0.5f * std::exp(logit - sum));
    want[7] -= 0.5f;
    expect_numbers(gradient.last(8), want);

    std::vector<std::int32_t> ids(rows, 0);
    ids.back() = 1;
    Buffer<float> table(2 * columns);
    copy_to_device(table.data() + 2 * columns - 8, x.data(), 8 * sizeof(float));
    kernel::scatter_add(Cuda{}, ids, logits.all(), table.data(), columns);
    std::vector<float> twice;
    for (const float number : x) twice.push_back(2 * number);
    std::vector<float> got(8);
    copy_to_host(got.data(), table.data() + 2 * columns - 8, 8 * sizeof(float));
    expect_numbers(got, twice);

    kernel::cross_entropy_in_place(Cuda{}, logits.all(), targets.data(), -1, 0, 4, found.data(),
                                   rows, columns);
    double all = columns - 8;  // e^0 for each of the others
    for (const float logit : x) all += std::exp(double(logit));
    for (std::size_t i = 0; i < 8; ++i)
      want[i] = float((std::exp(double(x[i])) / all - (i == 7 ? 1 : 0)) / 4);
    expect_numbers(logits.last(8), want);
  }
  const int sentences = 65537, width = 32800;  // of a row each: a query sees its own key
  std::vector<int> begins(sentences + 1);
  for (int i = 0; i <= sentences; ++i) begins[std::size_t(i)] = i;
  const std::vector<float> v = numbers(32, 1);
  Tail values(std::ptrdiff_t(sentences) * width, v), y(std::ptrdiff_t(sentences) * width);
  Buffer<float> log_sums(sentences);
  kernel::attend_packed(Cuda{}, kernel::PackedHeads({begins, begins, true}, 1, width), {},
                        values.all(), values.all(), values.all(), log_sums.data(), nullptr,
                        y.all());
  expect_numbers(y.last(32), v);
}

}  // namespace xf::test
#endif
