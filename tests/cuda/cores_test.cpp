#include <cmath>

#include "autograd/recorder.hpp"
#include "ops/attention/packed_attention.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/heads/heads.hpp"
#include "ops/layer_norm/layer_norm.hpp"
#include "ops/linear/linear.hpp"
#include "ops/matmul/precision.hpp"
#include "support/devices.hpp"
#include "support/rounded.hpp"

// Packed attention on tensor cores, whose factors are rounded, beside the processor's; and the
// rounded copy that kernels leave beside what they write.
namespace xf::test {

namespace {

// Of the largest number: a factor is off by 2^-9 of itself in bfloat16, by 2^-11 in TF32, and a
// gradient is made of four products in turn.
struct Bound {
  Precision precision;
  double most;
};
constexpr Bound rounding[] = {{Precision::bf16, 2e-2}, {Precision::tf32, 2.5e-3}};

// Short and long sentences, an empty one, queries that see only some keys, or none; rows that fill
// a tile of 32 or two exactly, lack one or have one too many.
const Packing of_cores[] = {{{0, 3, 4, 8}, {0, 3, 4, 8}, true},
                            {{0, 3, 4, 8}, {0, 2, 7, 8}, false},
                            {{0, 3, 3, 20}, {0, 3, 3, 40}, false},
                            {{0, 37, 40, 73}, {0, 37, 40, 73}, true},
                            {{0, 5, 12}, {0, 31, 71}, true},
                            {{0, 2, 35}, {0, 0, 33}, true},
                            {{0, 1, 33, 97}, {0, 1, 33, 97}, true},
                            {{0, 32, 33, 97}, {0, 1, 66, 129}, false},
                            {{0, 31}, {0, 65}, true},
                            {{0, 65}, {0, 31}, true}};

Tensor on_cores(const Inputs& in, const Packing& packing, int heads, float dropout = 0) {
  return packed_attention(in[0], in[1], in[2], packing, heads, dropout);
}

Tensor product(const Tensor& x, const Tensor& w) { return linear(x, w, Tensor()); }

std::shared_ptr<void> bf16_of(const Tensor& x) { return *x.input(Cuda{}).form; }

// Numbers that rounding leaves as they are.
Tensor short_numbers(const Shape& shape, std::uint64_t seed) {
  Tensor x = random(shape, seed);
  replace_each(x, [](float number) { return std::round(number * 16) / 16; });
  return x;
}

}  // namespace

TEST_CASE("cores: packed attention is the processor's, but for the rounding of factors") {
  for (const auto& [precision, most] : rounding)
    for (const Packing& packing : of_cores)
      for (int d_k : {16, 48, 64}) {
        const ProductPrecision used(precision);
        const float dropout = d_k == 48 ? 0.0f : 0.3f;
        const int heads = d_k == 64 ? 1 : 2;
        expect_agreement(
            "on cores", packed_inputs(packing, heads * d_k),
            [&](const Inputs& in) { return on_cores(in, packing, heads, dropout); }, most);
      }
}

TEST_CASE("cores: heads that do not fit are computed in float32") {
  const Packing& packing = of_cores[0];
  for (const auto& [precision, most] : rounding)
    for (int d_k : {8, 24, 80}) {
      const ProductPrecision used(precision);
      expect_agreement("beside cores", packed_inputs(packing, 2 * d_k),
                       [&](const Inputs& in) { return on_cores(in, packing, 2, 0.3f); });
    }
}

TEST_CASE("cores: what is rounded is the factors, to the precision's bits") {
  const Packing packing{{0, 20}, {0, 20}, false};
  const Inputs in = packed_inputs(packing, 64);
  const OnDevice exact =
      on_device(Device::cpu, in, [&](const Inputs& x) { return on_cores(x, packing, 1); });
  double before = 1;
  for (const auto& [precision, most] : rounding) {
    const ProductPrecision used(precision);
    const OnDevice got =
        on_device(Device::cuda, in, [&](const Inputs& x) { return on_cores(x, packing, 1); });
    const auto apart = [](const Tensor& a, const Tensor& b) {
      double sum = 0;
      for (std::ptrdiff_t i = 0; i < a.count(); ++i)
        sum += std::abs(double(a.values()[i]) - b.values()[i]);
      return sum / double(a.count()) / largest(b);
    };
    const double y = apart(got.y, exact.y);
    CHECK(y > 1e-6);        // it is rounded
    CHECK(y < before / 4);  // TF32 less than bfloat16, by 2^3
    before = y;
    for (std::size_t i = 0; i < 3; ++i) CHECK(apart(got.gradients[i], exact.gradients[i]) > 1e-6);
  }
}

// Queries of zeros weigh all keys that they see alike, and 1 has no more bits than it is given.
TEST_CASE("cores: means of numbers that need no rounding are exact") {
  for (const Bound& bound : rounding)
    for (const Packing& packing : of_cores) {
      const ProductPrecision used(bound.precision);
      const Tensor q = Tensor::zeros({1, packing.queries.back(), 32}),
                   k = random({1, packing.keys.back(), 32}, 2),
                   v = short_numbers({1, packing.keys.back(), 32}, 3);
      const Tensor want = packed_attention(q, k, v, packing, 2);
      under_schedules([&] {
        const Tensor got = packed_attention(q.to(Device::cuda), k.to(Device::cuda),
                                            v.to(Device::cuda), packing, 2);
        expect_close("means", got.to(Device::cpu), want);
      });
    }
}

TEST_CASE("cores: the weights that are shown are those that were used") {
  const Packing packing{{0, 3, 37}, {0, 5, 40}, false};
  const Inputs in = packed_inputs(packing, 32);
  for (const Bound& bound : rounding) {
    const ProductPrecision used(bound.precision);
    Recorder recorder({"weights"});
    on_cores(moved_to(Device::cuda, in), packing, 2);
    const Tensor weights = recorder.of("weights").to(Device::cpu);  // (1, H, N, M)
    for (int row = 0; row < weights.size(1) * weights.size(2); ++row) {
      double sum = 0;
      for (int key = 0; key < weights.size(3); ++key)
        sum += weights.values()[std::ptrdiff_t(row) * weights.size(3) + key];
      CHECK(sum == doctest::Approx(1).epsilon(1e-5));
    }
  }
}

// ---- the bfloat16 copy that products read
// -----------------------------------------------------------

// The product that reads what a kernel left is the product of the rounded numbers.
TEST_CASE("cores: what kernels leave for products are the numbers that they wrote, rounded") {
  const Tensor x = random({6, 32}, 1), ones = Tensor::full({32}, 1), zeros = Tensor::zeros({32}),
               row = random({32}, 2), w = random({5, 32}, 3);
  const Packing packing{{0, 6}, {0, 6}, true};
  const auto rows = [](const Tensor& y) { return y.view({6, 32}); };
  const std::vector<std::pair<const char*, Op>> ops{
      {"layer_norm", [&](const Inputs& in) { return layer_norm(in[0], in[1], in[2], 1e-5f); }},
      {"dropout", [&](const Inputs& in) { return dropout(in[0], 0.5f); }},
      {"add a row", [&](const Inputs& in) { return in[0] + in[3]; }},
      {"heads",
       [&](const Inputs& in) {
         return rows(merge_heads(in[0].view({1, 6, 2, 16})));
       }},
      {"attention", [&](const Inputs& in) {
         const Tensor y = in[0].view({1, 6, 32});
         return rows(packed_attention(y, y, y, packing, 2));
       }}};
  for (const auto& each : ops) {
    const char* name = each.first;
    CAPTURE(name);
    const ProductPrecision used(Precision::bf16);
    const Training training(5);
    const Tensor y = each.second(moved_to(Device::cuda, {x, ones, zeros, row}));
    REQUIRE(bf16_of(y));  // it was left
    const Tensor got = product(y, w.to(Device::cuda)).to(Device::cpu),
                 as_written = rounded(y.to(Device::cpu), Precision::bf16);
    expect_close(name, got, product(as_written, rounded(w, Precision::bf16)));
  }
}

TEST_CASE("cores: a bfloat16 copy goes when its numbers change") {
  const ProductPrecision used(Precision::bf16);
  Tensor x = random({4, 8}, 1).to(Device::cuda);
  const Tensor w = random({3, 8}, 2).to(Device::cuda);
  product(x, w);
  CHECK(bf16_of(x));
  CHECK(bf16_of(w));
  const Tensor other = random({4, 8}, 3);
  copy_into(x, other.values());
  CHECK(!bf16_of(x));
  expect_close(
      "changed", product(x, w).to(Device::cpu),
      product(rounded(other, Precision::bf16), rounded(w.to(Device::cpu), Precision::bf16)));
}

TEST_CASE("cores: other precisions leave no bfloat16 copy") {
  for (Precision precision : {Precision::float32, Precision::tf32}) {
    const ProductPrecision used(precision);
    const Tensor x = random({4, 8}, 1).to(Device::cuda);
    const Tensor y = layer_norm(x, Tensor::full({8}, 1).to(Device::cuda),
                                Tensor::zeros({8}).to(Device::cuda), 1e-5f);
    product(y, random({3, 8}, 2).to(Device::cuda));
    CHECK(!bf16_of(y));
  }
}

}  // namespace xf::test
