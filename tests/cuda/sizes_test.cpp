#include "02_attention/mask.hpp"
#include "ops/attention/attend_relative.hpp"
#include "ops/attention/attend_rows.hpp"
#include "ops/attention/kernels.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/dropout/kernels.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/elementwise/kernels.hpp"
#include "ops/heads/kernels.hpp"
#include "ops/matmul/gemm.hpp"
#include "ops/matmul/precision.hpp"
#include "ops/shape/growing_rows.hpp"
#include "ops/shape/kernels.hpp"
#include "ops/shape/shape_ops.hpp"
#include "support/devices.hpp"
#include "train/kernels.hpp"

// Sizes that models have and the other cases do not: more than a block, a warp or a table takes,
// and matrices that do not lie end to end.
namespace xf::test {

namespace {

// What compute(x, y) makes of 24 numbers, x and y so many numbers behind where memory begins.
template <class Compute>
std::vector<float> computed(int x_shift, int y_shift, const Compute& compute) {
  constexpr std::size_t count = 24;
  const Values x = random({1, count}, 1).values();
  const std::vector<float> zeros(count);
  cuda::Buffer<float> from(count + 1), to(count + 1);
  cuda::copy_to_device(from.data() + x_shift, &x[0], count * sizeof(float));
  cuda::copy_to_device(to.data() + y_shift, zeros.data(), count * sizeof(float));
  compute(from.data() + x_shift, to.data() + y_shift);
  std::vector<float> y(count);
  cuda::copy_to_host(y.data(), to.data() + y_shift, count * sizeof(float));
  return y;
}

}  // namespace

TEST_CASE("sizes: a mask for each sentence") {
  const int b = 3, h = 2, t = 4, s = 7, d = 3;
  Ids allowed = Ids::full({b, t, s}, 1);
  Random draw(3);
  for (int i = 0; i < b * t; ++i)
    for (int j = 0; j < s; ++j)
      allowed[i * s + j] = j == 0 || (j <= i % t + s - t && draw.below(3) > 0);
  const RelativeAttentionOptions options{.scale = 0.6f, .mask = {allowed}};
  expect_agreement("relative",
                   {random({b, h, t, d}, 1), random({b, h, t, d}, 2), random({b, h, s, d}, 3),
                    random({b, h, s, d}, 4), random({1, h, s, d}, 5)},
                   [&](const Inputs& in) {
                     return attend_relative(in[0], in[1], in[2], in[3], in[4], options);
                   });
}

TEST_CASE("sizes: scores that are largest behind the first chunk of a row") {
  const int h = 2, t = 3, s = 2100, d = 2;  // a chunk has 2048
  std::vector<float> rising;
  for (int i = 0; i < h * s; ++i)
    rising.insert(rising.end(), {static_cast<float>(i % s) / 100, 0.5f});
  const RelativeAttentionOptions options{.scale = 0.6f, .mask = causal_mask(t, s, s - t)};
  const Tensor q = Tensor::full({1, h, t, d}, 1);
  expect_agreement("relative",
                   {q, q.clone(), Tensor::from({1, h, s, d}, rising), random({1, h, s, d}, 4),
                    random({1, h, s, d}, 5)},
                   [&](const Inputs& in) {
                     return attend_relative(in[0], in[1], in[2], in[3], in[4], options);
                   });
}

TEST_CASE("sizes: more distances than keys, in bf16") {
  const int b = 2, h = 2, t = 4, s = 6, d = 4;
  const RelativeAttentionOptions options{.scale = 0.6f, .mask = causal_mask(t, s, s - t)};
  const Inputs inputs{random({b, h, t, d}, 1), random({b, h, t, d}, 2), random({b, h, s, d}, 3),
                      random({b, h, s, d}, 4), random({1, h, 9, d}, 5)};
  const auto on = [&](Device device) {
    const Inputs in = moved_to(device, inputs);
    return attend_relative(in[0], in[1], in[2], in[3], in[4], options).to(Device::cpu);
  };
  const Tensor want = on(Device::cpu);
  const ProductPrecision used(Precision::bf16);
  expect_close("y", on(Device::cuda), want, 2e-2);
}

TEST_CASE("sizes: attention to a list of 40 rows") {
  std::vector<int> list;
  for (int i = 0; i < 40; ++i) list.push_back(i);
  const RowLists lists{list, {1}};
  const auto attend = [&](Device device) {
    GrowingRows keys(random({40, 6}, 1).to(device)), values(random({40, 6}, 2).to(device));
    return attend_rows(random({2, 1, 6}, 4).to(device), keys, values, lists, 2);
  };
  const Tensor want = attend(Device::cpu);
  under_schedules([&] { expect_close("y", attend(Device::cuda).to(Device::cpu), want); });
}

TEST_CASE("sizes: likelihoods of 300 rows, the first ignored") {
  const Tensor logits = random({300, 5}, 1);
  Ids targets = Ids::full({300}, 2);
  targets[0] = -1;
  const std::vector<float> want = log_likelihood(logits, targets),
                           got = log_likelihood(logits.to(Device::cuda), targets);
  for (std::size_t i = 0; i < want.size(); ++i)
    CHECK(got[i] == doctest::Approx(want[i]).epsilon(1e-5));
}

TEST_CASE("sizes: rows of a cache that are 300 wide") {
  for (const std::vector<int>& keep : {std::vector{2, 3, 4, 5, 6}, {0, 3, 4, 8, 9}}) {
    const auto kept = [&](Device device) {
      GrowingRows rows(random({9, 300}, 1).to(device));
      rows.append(random({1, 300}, 2).to(device));
      rows.keep(keep);
      return kernel::copy_rows(rows).to(Device::cpu);
    };
    const Tensor want = kept(Device::cpu);
    under_schedules([&] { expect_same("rows", kept(Device::cuda), want); });
  }
}

TEST_CASE("sizes: numbers that begin at no multiple of 16 bytes") {
  const auto same_anywhere = [](const auto& compute) {
    const std::vector<float> want = computed(0, 0, compute);
    CHECK(computed(1, 0, compute) == want);
    CHECK(computed(0, 1, compute) == want);
    CHECK(computed(1, 1, compute) == want);
  };
  const Cuda on;
  same_anywhere([&](const float* x, float* y) { kernel::scale(on, x, 3, y, 24); });
  same_anywhere([&](const float* x, float* y) { kernel::dropout(on, x, 0.5f, 7, y, 24); });
  same_anywhere([&](const float* x, float* y) { kernel::swap_middle_axes(on, x, y, 1, 2, 3, 4); });
  same_anywhere([&](const float* x, float* y) {
    const kernel::PackedHeads heads({{0, 2, 6}, {0, 2, 6}, true}, 1, 4);
    cuda::Buffer<float> log_sums(6), dq(24), dk(24);
    kernel::attend_packed(on, heads, {}, x, x, x, log_sums.data(), nullptr, y);
    kernel::attend_packed_backward(on, heads, {}, {log_sums.data(), nullptr}, {x, x, x, y, x},
                                   {dq.data(), dk.data(), y});
  });
  same_anywhere([&](const float* x, float* y) {
    const ProductPrecision used(Precision::bf16);
    cuda::Buffer<float> c(16);  // aligned: how a library adds up may go by that
    kernel::gemm(on, {x, 4, 4}, {x + 4, 4, 4}, {c.data(), 4, 4});
    cuda::copy_on_device(y, c.data(), 16 * sizeof(float));
  });
  same_anywhere([&](const float* x, float* y) {
    auto* const gradient = const_cast<float*>(x);  // which is not written to
    const std::vector<kernel::AdamPart> parts = {{gradient, y, y + 8, y + 16, 1, 8}};
    kernel::adam(on, {0.9f, 0.99f, 1e-8f, 0.5f, 10, 1}, parts);
  });
}

TEST_CASE("sizes: slices of 4 columns from column 1 on") {
  expect_agreement("slice", {random({3, 8}, 1)},
                   [](const Inputs& in) { return slice(in[0], 1, 1, 4); });
}

TEST_CASE("sizes: cross-entropy of logits far below 0, and of 2100 words") {
  const Ids targets({2}, {1, 0});
  const Tensor low = random({2, 40}, 1);
  expect_agreement("low", {low}, [&](const Inputs& in) {
    return cross_entropy_in_place(in[0] + Tensor::full({40}, -200, in[0].device()), targets);
  });
  expect_agreement("wide", {random({2, 2100}, 1)},
                   [&](const Inputs& in) { return cross_entropy(in[0], targets); });
}

TEST_CASE("sizes: sums over 9000 rows") {
  expect_agreement(
      "add", {random({9000, 3}, 1), random({3}, 2)}, [](const Inputs& in) { return in[0] + in[1]; },
      1e-4);
}

}  // namespace xf::test
