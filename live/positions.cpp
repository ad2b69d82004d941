#include "live/positions.hpp"

#include <algorithm>
#include <numbers>

#include "01_embedding/positional_encoding.hpp"
#include "ops/matmul/matmul.hpp"
#include "tensor/portable_math.hpp"
#include "train/progress.hpp"

namespace xf::live {

Json positions(Fields& request) {
  const double base = request.number("base", 1, 1e9, 10000);
  const int d_model = request.integer("d_model", 2, 512, 32);
  const int count = request.integer("positions", 1, 512, 64);
  request.done();
  if (d_model % 2 != 0) request.fail("\"d_model\" must be even, not " + std::to_string(d_model));
  const Tensor encoding =
      sinusoidal_positions(count, d_model, 0, PositionLayout::interleaved, base);
  std::vector<double> wavelengths;
  for (int i = 0; i < d_model; i += 2)
    wavelengths.push_back(2 * std::numbers::pi * portable::pow(base, double(i) / d_model));
  return {{"encoding", matrix(encoding)},
          {"dot", matrix(matmul(encoding, encoding, Transpose::yes))},
          {"wavelengths", wavelengths}};
}

// The fastest of many samples of a few milliseconds each, to exclude most disturbances.
Json matmul_speed(Fields& request) {
  const int n = request.integer("n", 1, 1024);
  request.done();
  Random random(1);
  const Tensor a = normal({n, n}, 1, random), b = normal({n, n}, 1, random);
  int products = 1;
  const auto sample = [&] {
    const Stopwatch watch;
    for (int i = 0; i < products; ++i) matmul(a, b);
    return watch.seconds();
  };
  double fastest = sample();
  for (; fastest < 0.005; fastest = sample()) products *= 2;
  for (const Stopwatch watch; watch.seconds() < 0.3;) fastest = std::min(fastest, sample());
  return {{"gflops", 2e-9 * n * n * n * products / fastest}};
}

}  // namespace xf::live
