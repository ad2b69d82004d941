#include "cuda/steps/steps.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "ops/matmul/matmul.hpp"
#include "ops/softmax/softmax.hpp"
#include "support/devices.hpp"
#include "support/rounded.hpp"

// Every step of the four stories of docs/en/11_gpu.md computes the same.
namespace xf::test {

namespace {

void check_softmax(const Tensor& x, int schedules) {
  const Tensor want = softmax(x), there = x.to(Device::cuda);
  for (const auto& step :
       {steps::softmax_thread_a_row, steps::softmax_warp_a_row, steps::softmax_four_at_once})
    under_schedules(
        [&] {
          Tensor y = Tensor::empty(x.shape(), Device::cuda);
          step(there.data(Cuda{}), y.data(Cuda{}), x.size(0), x.size(1));
          expect_close("y", y.to(Device::cpu), want);
        },
        schedules);
}

using Product = decltype(&steps::product_tiles);

// Products of the sizes m, n and k, of factors as they are or rounded.
void check_products(const std::vector<Product>& each, const std::vector<std::array<int, 3>>& all,
                    bool rounds = false) {
  for (const auto& sizes : all) {
    const int m = sizes[0], n = sizes[1], k = sizes[2];
    const Tensor a = random({m, k}, 1), b = random({k, n}, 2);
    const Tensor want =
        rounds ? matmul(rounded(a, Precision::bf16), rounded(b, Precision::bf16)) : matmul(a, b);
    const Tensor left = a.to(Device::cuda), right = b.to(Device::cuda);
    for (const Product& step : each)
      under_schedules([&] {
        Tensor c = Tensor::empty({m, n}, Device::cuda);
        step(left.data(Cuda{}), right.data(Cuda{}), c.data(Cuda{}), m, n, k);
        expect_close("c", c.to(Device::cpu), want);
      });
  }
}

}  // namespace

TEST_CASE("steps: softmax") {
  for (const Shape& shape : {Shape{1, 4}, Shape{5, 32}, Shape{300, 44}, Shape{3, 260}})
    check_softmax(random(shape, 1), 3);
}

TEST_CASE("steps: softmax of a row whose largest number is far above the others") {
  for (int largest = 0; largest < 44; ++largest) {  // wherever it stands
    std::vector<float> numbers(88, largest % 2 ? 0.5f : -300.0f);
    numbers[44 + largest] = largest % 2 ? 200.0f : -100.0f;
    check_softmax(Tensor::from({2, 44}, numbers), 1);
  }
}

TEST_CASE("steps: sum") {
  for (const int count : {1, 31, 256, 257, 5000, 70000}) {
    const Tensor x = random({count}, 1), there = x.to(Device::cuda);
    double want = 0;
    for (const float value : x.values()) want += value;
    for (const auto& step :
         {steps::sum_one_number, steps::sum_tree_of_neighbours, steps::sum_tree_of_first_threads,
          steps::sum_tree_of_halves, steps::sum_warps_first, steps::sum_many_a_thread})
      under_schedules([&] {
        Tensor sums = Tensor::empty({(count + 255) / 256}, Device::cuda);
        Tensor y = Tensor::zeros({1}).to(Device::cuda);
        step(there.data(Cuda{}), sums.data(Cuda{}), y.data(Cuda{}), count);
        // Rounding alone, of which one after the other has most.
        CHECK(y.to(Device::cpu).item() == doctest::Approx(want).epsilon(1e-5).scale(100));
      });
  }
}

TEST_CASE("steps: matrix product with four numbers per load") {
  check_products({steps::product_vectors, steps::product_two_buffers},
                 {{1, 4, 4}, {64, 64, 16}, {70, 36, 40}, {50, 132, 20}});
}

TEST_CASE("steps: matrix product") {
  check_products({steps::product_thread_a_number, steps::product_tiles, steps::product_registers},
                 {{1, 1, 1}, {16, 16, 16}, {17, 33, 40}, {70, 67, 31}});
}

TEST_CASE("steps: matrix product on tensor cores") {
  check_products({steps::product_tensor_cores},
                 {{1, 1, 1}, {64, 64, 16}, {70, 33, 40}, {50, 129, 31}}, true);
}

TEST_CASE("steps: attention") {
  for (const auto& sizes : {std::array{1, 1, 1}, {5, 31, 32}, {9, 70, 33}, {4, 64, 128}}) {
    const int t = sizes[0], s = sizes[1], d = sizes[2];
    const Tensor q = random({t, d}, 1), k = random({s, d}, 2), v = random({s, d}, 3);
    const float scale = 1 / std::sqrt(static_cast<float>(d));
    const Tensor want = matmul(softmax(matmul(q, k, Transpose::yes), {.scale = scale}), v);
    const Tensor queries = q.to(Device::cuda), keys = k.to(Device::cuda),
                 values = v.to(Device::cuda);
    for (const auto& step : {steps::attention_three_kernels, steps::attention_one_kernel,
                             steps::attention_shared_keys})
      under_schedules([&] {
        Tensor y = Tensor::empty({t, d}, Device::cuda);
        step(queries.data(Cuda{}), keys.data(Cuda{}), values.data(Cuda{}), y.data(Cuda{}), t, s, d);
        expect_close("y", y.to(Device::cpu), want);
      });
  }
}

}  // namespace xf::test
