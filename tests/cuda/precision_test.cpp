#include "ops/matmul/precision.hpp"

#include <bit>
#include <cmath>

#include "ops/linear/linear.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/shape/shape_ops.hpp"
#include "support/devices.hpp"
#include "support/rounded.hpp"

// Products of rounded numbers on the device, against the processor's products of numbers that are
// rounded here, by other means.
namespace xf::test {

namespace {

// Random ones of every size, halfway ones, the largest, the smallest, and what is no number: also
// a GPU's own NaN, all of whose lower bits are 1, so that it would not bear to be rounded.
std::vector<float> all_kinds() {
  std::vector<float> numbers{0.0f, -0.0f,         INFINITY, -INFINITY,
                             NAN,  3.4028235e38f, -3.4e38f, 1e-45f};
  for (std::uint32_t bits : {0x7fffffffu, 0xffffffffu, 0x7f800001u})
    numbers.push_back(std::bit_cast<float>(bits));
  Random random(1);
  for (int exponent = -149; exponent <= 127; ++exponent)
    for (int i = 0; i < 4; ++i) {
      const float size = std::ldexp(1.0f, exponent);
      numbers.push_back(static_cast<float>((1 + random.uniform()) * (i % 2 ? -size : size)));
      for (int bits : {7, 10}) {
        const double unit = std::ldexp(1.0, -bits), whole = 1 + random.below(1 << bits) * unit;
        numbers.push_back(static_cast<float>((whole + unit / 2) * size));
      }
    }
  return numbers;
}

// How a GPU makes TF32 of a float is its own affair.
#ifdef XF_EMULATOR
const std::vector<Precision> known_exactly{Precision::bf16, Precision::tf32};
#else
const std::vector<Precision> known_exactly{Precision::bf16};
#endif

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

TEST_CASE("cuda: numbers are rounded to the nearest, halfway to the even one") {
  const std::vector<float> x = all_kinds();
  const int count = static_cast<int>(x.size());
  const Tensor column = Tensor::from({count, 1}, x).to(Device::cuda),
               one = Tensor::full({1, 1}, 1, Device::cuda);
  for (Precision precision : known_exactly) {
    const ProductPrecision used(precision);
    const std::vector<float> got = matmul(column, one).values();
    for (std::size_t i = 0; i < x.size(); ++i) {
      CAPTURE(x[i]);
      CHECK(same(got[i], rounded(x[i], bits_of(precision))));
    }
  }
}

TEST_CASE("cuda: a product is that of the rounded factors, summed in float32") {
  for (Precision precision : known_exactly) {
    const ProductPrecision used(precision);
    for (const auto& [batch, m, n, k] : {std::array{1, 1, 1, 1}, {3, 5, 7, 9}, {2, 33, 40, 50}})
      for (Transpose turned : {Transpose::no, Transpose::yes}) {
        const Tensor a = detach(random_leaf({batch, m, k}, 1)),
                     b = detach(random_leaf(
                         turned == Transpose::yes ? Shape{batch, n, k} : Shape{batch, k, n}, 2));
        const Tensor want = matmul(rounded(a, precision), rounded(b, precision), turned),
                     other = matmul(a, b, turned);
        under_schedules([&] {
          const Tensor got = matmul(a.to(Device::cuda), b.to(Device::cuda), turned).to(Device::cpu);
          expect_close("product", got, want);
          CHECK(!difference("product", got, other).empty());
        });
      }
  }
}

TEST_CASE("cuda: the gradients of a linear layer are products of the rounded factors, too") {
  const Precision precision = Precision::bf16;
  const Tensor x = random_leaf({6, 11}, 1), w = random_leaf({5, 11}, 2), b = random_leaf({5}, 3);
  const auto linear_of = [](const Inputs& in) { return linear(in[0], in[1], in[2]); };
  const OnDevice got = [&] {
    const ProductPrecision used(precision);
    return on_device(Device::cuda, {x, w, b}, linear_of);
  }();
  const Tensor dy = detach(random_leaf({6, 5}, 77));  // on_device() weighs the output so
  const Tensor x_r = rounded(x, precision), w_r = rounded(w, precision),
               dy_r = rounded(dy, precision);
  expect_close("y", got.y, linear(detach(x_r), detach(w_r), detach(b)));
  expect_close("dx", got.gradients[0], matmul(dy_r, w_r));
  expect_close("dw", got.gradients[1], matmul(transpose(dy_r), x_r));
}

// Each factor may be off by 2^-8 (2^-10 where TF32 is cut) of itself, a product of two by twice
// that, and so the sum by that share of the sum of its products' sizes.
TEST_CASE("cuda: what rounding loses is bounded") {
  const Tensor a = detach(random_leaf({20, 300}, 1)), b = detach(random_leaf({300, 17}, 2));
  const Tensor exact = matmul(a, b);
  Tensor a_sizes = a.clone(), b_sizes = b.clone();
  for (Tensor* x : {&a_sizes, &b_sizes}) replace_each(*x, [](float y) { return std::abs(y); });
  const Values sizes = matmul(a_sizes, b_sizes).values(), want = exact.values();
  for (const auto& [precision, bits] : {std::pair{Precision::bf16, 8}, {Precision::tf32, 10}}) {
    const ProductPrecision used(precision);
    const Values got = matmul(a.to(Device::cuda), b.to(Device::cuda)).values();
    double most = 0;
    for (std::ptrdiff_t i = 0; i < exact.count(); ++i)
      most = std::max(most, double(std::abs(got[i] - want[i]) / sizes[i]));
    CHECK(most < 2.01 * std::ldexp(1.0, -bits));
    CHECK(most > 0);
  }
}

TEST_CASE("cuda: a precision ends with its scope") {
  {
    const ProductPrecision used(Precision::bf16);
    CHECK(product_precision() == Precision::bf16);
  }
  CHECK(product_precision() == Precision::float32);
}

}  // namespace xf::test
