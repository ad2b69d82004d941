#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::given, exercise::in_orders, exercise::OnDevice, exercise::tile;

namespace {

using Numbers = std::vector<float>;

constexpr int orders = 3;

struct Ran {
  Numbers c;
  int reads_of_a = 0, reads_of_b = 0;
};

Ran own(const Tensor& a, const Tensor& b) {
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  OnDevice of_a(a.values()), of_b(b.values());
  cuda::Buffer<float> c(static_cast<std::size_t>(m * n));
  cuda::Buffer<int> reads(2);
  const int none[] = {0, 0};
  cuda::copy_to_device(reads.data(), none, sizeof none);
  const xf::dim3 grid(cuda::blocks_for(n, tile), cuda::blocks_for(m, tile));
  cuda::launch({"product", grid, xf::dim3(tile, tile)}, exercise::product,
               exercise::Matrix{of_a.data(), m, k, reads.data()},
               exercise::Matrix{of_b.data(), k, n, reads.data() + 1}, c.data());
  const std::vector<int> counted = reads.values();
  return {c.values(), counted[0], counted[1]};
}

void check(const std::string& what, int m, int k, int n) {
  const Tensor a = exercise::random({m, k}, 331), b = exercise::random({k, n}, 332);
  COMPARE("C in three orders, " + what, in_orders(orders, matmul(a, b).values()),
          in_orders(orders, [&] { return own(a, b).c; }));
}

}  // namespace

TEST_CASE("one tile") { check("M = K = N = 16", 16, 16, 16); }

TEST_CASE("several tiles, one after the other in K") { check("M = 6, K = 48, N = 16", 6, 48, 16); }

TEST_CASE("several blocks") { check("M = 40, K = 9, N = 20", 40, 9, 20); }

TEST_CASE("matrices that do not end with a tile") {
  check("M = 5, K = 7, N = 9", given(5), given(7), given(9));
  check("M = 20, K = 33, N = 18", given(20), given(33, 33, 40), given(18));
}

TEST_CASE("each number is read once for each tile that needs it") {
  const int m = given(40, 33, 48), k = given(24, 20, 32), n = given(20, 17, 32);
  const Tensor a = exercise::random({m, k}, 333), b = exercise::random({k, n}, 334);
  const auto pair = [](int of_a, int of_b) {
    return Tensor::from({2}, {static_cast<float>(of_a), static_cast<float>(of_b)});
  };
  const auto counted = [&] {
    const Ran ran = own(a, b);
    return pair(ran.reads_of_a, ran.reads_of_b);
  };
  COMPARE("reads of A, and of B, M = 40, K = 24, N = 20",
          pair(m * k * ((n + tile - 1) / tile), k * n * ((m + tile - 1) / tile)), counted());
}
