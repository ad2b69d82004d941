// Products of (n, n) matrices by the engine's own kernel on one thread, for products.py: n and
// GFLOP/s of A B, A B^T and A^T B, each the fastest of many samples of some milliseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "ops/matmul/gemm.hpp"
#include "tensor/parallel.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double gflops(const xf::kernel::Matrix& a, const xf::kernel::Matrix& b,
              const xf::kernel::Result& c) {
  double fastest = 1e9;
  for (const auto start = Clock::now(); seconds_since(start) < 0.3;) {
    int products = 0;
    const auto sample = Clock::now();
    for (; seconds_since(sample) < 0.002; ++products) xf::kernel::gemm(xf::SameCpu{}, a, b, c);
    fastest = std::min(fastest, seconds_since(sample) / products);
  }
  return 2e-9 * c.rows * c.columns * a.columns / fastest;
}

}  // namespace

int main() {
  xf::set_threads(1);
  for (const int n : {64, 128, 256, 512}) {
    const std::vector<float> numbers(std::size_t(n) * n, 0.5f);
    std::vector<float> sums(numbers.size());
    const xf::kernel::Matrix x{numbers.data(), n, n};
    const xf::kernel::Result c{sums.data(), n, n};
    std::printf("%d %.1f %.1f %.1f\n", n, gflops(x, x, c), gflops(x, x.transpose(), c),
                gflops(x.transpose(), x, c));
  }
}
