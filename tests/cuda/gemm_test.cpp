#include <array>
#include <vector>

#include "ops/matmul/cuda_stacks.hpp"
#include "ops/matmul/gemm.hpp"
#include "ops/matmul/precision.hpp"
#include "support/devices.hpp"

namespace xf::test {

namespace {

// A matrix of the CPU's memory, and the same one on the device.
struct Twin {
  std::vector<float> host;
  cuda::Buffer<float> device;

  Twin(std::size_t count, std::uint64_t seed, bool whole = false) : host(count), device(count) {
    Random random(seed);
    for (float& x : host)
      x = whole ? static_cast<float>(random.below(17) - 8) : static_cast<float>(random.normal());
    cuda::copy_to_device(device.data(), host.data(), count * sizeof(float));
  }
};

// Products with a bias of small whole numbers, which are exact in every precision, as are sums.
struct Biased {
  struct Case {
    int m = 3, n = 3, k = 3;
    bool a_transposed = false, b_transposed = false;
    int a_stride = 4, b_stride = 4, c_stride = 4;
    int a_first = 0, b_first = 0, c_first = 0, bias_first = 0;  // so that it is aligned or not
  };
  Twin a{2000, 1, true}, b{2000, 2, true}, c{2000, 3, true}, bias{100, 4, true};

  void check(const Case& is) {
    CAPTURE(is.m);
    CAPTURE(is.n);
    CAPTURE(is.k);
    const auto product = [&](auto on, const float* x, const float* w, float* y, const float* row) {
      x += is.a_first, w += is.b_first;
      kernel::gemm(on,
                   is.a_transposed ? kernel::Matrix{x, is.k, is.m, is.a_stride}.transpose()
                                   : kernel::Matrix{x, is.m, is.k, is.a_stride},
                   is.b_transposed ? kernel::Matrix{w, is.n, is.k, is.b_stride}.transpose()
                                   : kernel::Matrix{w, is.k, is.n, is.b_stride},
                   {y + is.c_first, is.m, is.n, is.c_stride}, {.bias = row + is.bias_first});
    };
    product(SameCpu{}, a.host.data(), b.host.data(), c.host.data(), bias.host.data());
    product(Cuda{}, a.device.data(), b.device.data(), c.device.data(), bias.device.data());
    CHECK(c.device.values() == c.host);
  }
};

constexpr Precision precisions[] = {Precision::float32, Precision::tf32, Precision::bf16};

}  // namespace

TEST_CASE("cuda: products of rows that are apart, epilogue nothing, a sum and a bias") {
  const int m = 37, n = 29, k = 21, a_stride = 50, b_stride = 41, c_stride = 33;
  for (bool a_transposed : {false, true})
    for (bool b_transposed : {false, true})
      for (int epilogue : {0, 1, 2}) {
        Twin a(50 * 50, 1), b(50 * 50, 2), c(m * c_stride, 3), bias(n, 4);
        const auto left = [&](const float* x) {
          return a_transposed ? kernel::Matrix{x, k, m, a_stride}.transpose()
                              : kernel::Matrix{x, m, k, a_stride};
        };
        const auto right = [&](const float* x) {
          return b_transposed ? kernel::Matrix{x, n, k, b_stride}.transpose()
                              : kernel::Matrix{x, k, n, b_stride};
        };
        const auto added = [&](const float* x) {
          return kernel::Epilogue{.sum = epilogue == 1, .bias = epilogue == 2 ? x : nullptr};
        };
        kernel::gemm(SameCpu{}, left(a.host.data()), right(b.host.data()),
                     {c.host.data(), m, n, c_stride}, added(bias.host.data()));
        kernel::gemm(Cuda{}, left(a.device.data()), right(b.device.data()),
                     {c.device.data(), m, n, c_stride}, added(bias.device.data()));
        // What lies between the rows of C stays as it was.
        expect_close("c", Tensor::from({m * c_stride}, c.device.values()),
                     Tensor::from({m * c_stride}, c.host));
      }
}

TEST_CASE("cuda: a product with a bias, of every shape, in every precision") {
  Biased product;
  for (Precision precision : precisions) {
    const ProductPrecision used(precision);
    for (const auto& [m, n, k] :
         {std::array{1, 1, 1}, {1, 40, 7}, {33, 1, 9}, {5, 6, 1}, {24, 40, 32}})
      for (bool a : {false, true})
        for (bool b : {false, true})
          for (int first : {0, 1, 2, 4})
            product.check({m, n, k, a, b, a ? m : k, b ? k : n, n, 0, 0, 0, first});
  }
}

// What the device keeps of one product is not taken for another one that differs in one thing.
TEST_CASE("cuda: products with a bias, one after another") {
  using Case = Biased::Case;
  Biased product;
  for (Precision precision : precisions) {
    const ProductPrecision used(precision);
    product.check({});
    for (int Case::*more :
         {&Case::m, &Case::n, &Case::k, &Case::a_stride, &Case::b_stride, &Case::c_stride,
          &Case::a_first, &Case::b_first, &Case::c_first, &Case::bias_first}) {
      Case is;
      is.*more += more == &Case::bias_first ? 2 : 1;
      product.check(is);
    }
    product.check({.a_transposed = true});
    product.check({.b_transposed = true});
  }
}

TEST_CASE("cuda: products that share a factor, in every precision") {
  constexpr int batch = 3, m = 5, n = 8, k = 12;
  Twin many(batch * 100, 1, true), one(100, 2, true);
  for (Precision precision : precisions) {
    const ProductPrecision used(precision);
    for (bool left : {false, true}) {  // which of the two is shared
      std::vector<float> expected(batch * m * n);
      for (std::ptrdiff_t i = 0; i < batch; ++i) {
        const float *a = left ? one.host.data() : many.host.data() + i * 100,
                    *b = left ? many.host.data() + i * 100 : one.host.data();
        kernel::gemm(SameCpu{}, {a, m, k}, {b, k, n}, {expected.data() + i * m * n, m, n});
      }
      cuda::Buffer<float> c(expected.size());
      const float *shared = one.device.data(), *apart = many.device.data();
      kernel::gemm_stacks(batch, {{left ? shared : apart, m, k}, left ? 0 : 100},
                          {{left ? apart : shared, k, n}, left ? 100 : 0},
                          {{c.data(), m, n}, m * n});
      CHECK(c.values() == expected);
    }
  }
}

TEST_CASE("cuda: a product whose sizes do not fit is refused as on the CPU") {
  const auto message = [](auto on) {
    const kernel::Matrix a{nullptr, 2, 3}, b{nullptr, 4, 5};
    return error_of([&] { kernel::gemm(on, a, b, {nullptr, 2, 5}); });
  };
  CHECK(message(Cuda{}) == message(SameCpu{}));
}

}  // namespace xf::test
