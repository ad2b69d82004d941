#include "support/test.hpp"
#include "exercise.hpp"

#include "support/watched.hpp"

using namespace xf;
using exercise::checked, exercise::counts_of, exercise::given, exercise::in_orders,
    exercise::OnDevice, exercise::strip, exercise::threads, exercise::tile;

namespace {

using Numbers = std::vector<float>;

constexpr int orders = 3;

struct Factors {
  int m, n, k;
  Tensor x = exercise::random({m, k}, 401), w = exercise::random({n, k}, 402);
};

Numbers own(const Factors& of) {
  OnDevice x(of.x.values()), w(of.w.values());
  cuda::Buffer<float> y(static_cast<std::size_t>(of.m * of.n));
  const xf::dim3 grid(cuda::blocks_for(of.n, tile), cuda::blocks_for(of.m, tile));
  cuda::launch({"product", grid, xf::dim3(threads, threads)}, exercise::product, x.data(), w.data(),
               y.data(), of.m, of.n, of.k);
  return y.values();
}

Numbers right(const Factors& of) { return matmul(of.x, of.w, Transpose::yes).values(); }

// Of each number, where the orders agree, that; else the last that is not the first order's.
Tensor in_three_orders(const Factors& of) {
  const Numbers all = in_orders(orders, [&] { return own(of); }).values();
  const std::size_t count = all.size() / orders;
  Numbers y(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = count; i < all.size(); ++i)
    if (all[i] != all[i % count]) y[i % count] = all[i];
  return Tensor::from({of.m, of.n}, y);
}

void check(const std::string& what, int m, int n, int k) {
  const Factors of{m, n, k};
  COMPARE("y in three orders, " + what, Tensor::from({m, n}, right(of)), in_three_orders(of));
}

// Of whole tiles, and whole strips.
Factors whole(int blocks_down, int blocks_across, int strips) {
  return {blocks_down * tile, blocks_across * tile, strips * strip};
}

Tensor number(long x) { return Tensor::full({1}, static_cast<float>(x)); }

// More than the bound counts as what it is, less as the bound: nobody has to waste anything.
Tensor at_least(long bound, long counted) { return number(std::max(bound, counted)); }

// Numbers of x and of W that all blocks take, 32 at a time.
long taken(const Factors& of) { return 2L * of.m * of.n / tile * of.k / 32; }

}  // namespace

TEST_CASE("one tile, one strip") { check("m = 64, n = 64, k = 32", tile, tile, strip); }

TEST_CASE("several strips") { check("m = 64, n = 64, k = 96", tile, tile, 3 * strip); }

TEST_CASE("several blocks") { check("m = 128, n = 64, k = 32", 2 * tile, tile, strip); }

TEST_CASE("matrices that end with no tile and no strip") {
  check("m = 70, n = 50, k = 40", given(70), given(50), given(40));
  check("m = 5, n = 90, k = 7", given(5), given(90), given(7));
}

TEST_CASE("nobody reads what has not been written, or is written meanwhile") {
  const Factors of{given(70, 65, 80), given(67, 65, 80), given(40, 33, 60)};
  COMPARE("y, every access checked, m = 70, n = 67, k = 40", Tensor::from({of.m, of.n}, right(of)),
          Tensor::from({of.m, of.n}, checked([&] { return own(of); })));
}

TEST_CASE("a number from shared memory serves four times") {
  const Factors of = whole(given(2, 1, 2), 1, given(2, 2, 3));
  // For each of a thread's 16 products 8 loads: half a load a product, instead of two.
  const long least = long(of.m) * of.n * of.k / 2 / 32 + taken(of);
  COMPARE("accesses of whole warps to shared memory, m = 128, n = 64, k = 64", number(least),
          at_least(least, counts_of("product", [&] { own(of); }).shared_accesses));
}

TEST_CASE("a warp reads whole segments of 128 bytes, and each number once for each tile") {
  const Factors of = whole(given(2, 1, 2), 1, given(2, 2, 3));
  const long least = taken(of) + long(of.m) * of.n / threads;  // 16 neighbours of y in one write
  const auto transactions = [&] {
    const cuda::KernelCounts counts = counts_of("product", [&] { own(of); });
    return counts.transactions + counts.device_atomics;
  };
  COMPARE("transactions, m = 128, n = 64, k = 64", number(least), at_least(least, transactions()));
}

TEST_CASE("no two lanes want different words of one bank") {
  const Factors of = whole(1, 1, 2);
  COMPARE("bank conflicts, m = 64, n = 64, k = 64", number(0),
          number(counts_of("product", [&] { own(of); }).conflicts));
}
