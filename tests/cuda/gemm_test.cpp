#include <vector>

#include "ops/matmul/gemm.hpp"
#include "support/devices.hpp"

namespace xf::test {

namespace {

// A matrix of the CPU's memory, and the same one on the device.
struct Twin {
  std::vector<float> host;
  cuda::Buffer<float> device;

  Twin(std::size_t count, std::uint64_t seed) : host(count), device(count) {
    Random random(seed);
    for (float& x : host) x = static_cast<float>(random.normal());
    cuda::copy_to_device(device.data(), host.data(), count * sizeof(float));
  }
};

}  // namespace

TEST_CASE("cuda: products of rows that are apart, onto nothing, a sum and a bias") {
  const int m = 37, n = 29, k = 21, a_stride = 50, b_stride = 41, c_stride = 33;
  for (bool a_transposed : {false, true})
    for (bool b_transposed : {false, true})
      for (int onto : {0, 1, 2}) {
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
          return kernel::Onto{.sum = onto == 1, .bias = onto == 2 ? x : nullptr};
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

TEST_CASE("cuda: a product whose sizes do not fit is refused as on the CPU") {
  const auto message = [](auto on) {
    const kernel::Matrix a{nullptr, 2, 3}, b{nullptr, 4, 5};
    return error_of([&] { kernel::gemm(on, a, b, {nullptr, 2, 5}); });
  };
  CHECK(message(Cuda{}) == message(SameCpu{}));
}

}  // namespace xf::test
