#include "support/test.hpp"
#include "exercise.hpp"

#include "support/watched.hpp"

using namespace xf;
using exercise::checked, exercise::counts_of, exercise::given, exercise::in_orders, exercise::Once,
    exercise::OnDevice, exercise::strip, exercise::threads, exercise::tile, exercise::within;

namespace {

using Numbers = std::vector<float>;

constexpr int orders = 3;

struct Factors {
  int m, n, k;
  float deviation = 1;  // of x
  Tensor x = exercise::random({m, k}, 401, deviation), w = exercise::random({n, k}, 402);
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

void check(const std::string& what, int m, int n, int k, float deviation = 1) {
  const Factors of{m, n, k, deviation};
  COMPARE("y in three orders, " + what, Tensor::from({m, n}, right(of)), in_three_orders(of));
}

// Of whole tiles, and whole strips.
Factors whole(int blocks_down, int blocks_across, int strips) {
  return {blocks_down * tile, blocks_across * tile, strips * strip};
}

Tensor number(long x) { return Tensor::full({1}, static_cast<float>(x)); }

// More than the bound counts as what it is, less as the bound: nobody has to waste anything.
Tensor at_least(long bound, long counted) { return number(std::max(bound, counted)); }

Tensor tensor(const Factors& of, const Numbers& y) { return Tensor::from({of.m, of.n}, y); }

// Of whole tiles and whole strips.
long up(int count, int whole) { return long(count + whole - 1) / whole * whole; }
// Numbers of x and of W that all blocks take, 32 at a time.
long taken(const Factors& of) {
  return 2 * up(of.m, tile) * up(of.n, tile) / tile * up(of.k, strip) / 32;
}
long loads(const Factors& of) {
  // For each of a thread's 16 products 8 loads: half a load a product, instead of two.
  return up(of.m, tile) * up(of.n, tile) * up(of.k, strip) / 2 / 32;
}
long writes(const Factors& of) {
  return up(of.m, tile) * up(of.n, tile) / threads;  // 16 neighbours of y in one write
}

// What is counted in a run whose y is compared, too. At the edges a warp may take two turns where
// it takes one elsewhere, and a row may begin within a segment.
template <std::invocable<const Factors&> Most, std::invocable<const cuda::KernelCounts&> Count>
void check_counts(const std::string& what, const Most& most, const Count& count) {
  const Factors even = whole(given(2, 1, 2), 1, within(2, 2, 3));
  const Factors odd{given(70), given(50), given(40)};
  const auto check_one = [&](const std::string& sizes, const Factors& of, long bound) {
    Once run([&] { return counts_of([&] { return own(of); }); });
    COMPARE(what + sizes, number(bound), at_least(bound, count(run->of("product"))));
    COMPARE("y of the same run" + sizes, tensor(of, right(of)), tensor(of, run->result));
  };
  check_one(", m = 128, n = 64, k = 64", even, most(even));
  check_one(", m = 70, n = 50, k = 40", odd, 2 * most(odd));
}

}  // namespace

TEST_CASE("no thread reads what is not yet written or is being written") {
  const Factors of{given(70, 65, 80), given(67, 65, 80), given(40, 33, 60)};
  COMPARE("y, every access checked, m = 70, n = 67, k = 40", Tensor::from({of.m, of.n}, right(of)),
          Tensor::from({of.m, of.n}, checked([&] { return own(of); })));
}

TEST_CASE("one tile, one strip") { check("m = 64, n = 64, k = 32", tile, tile, strip); }

TEST_CASE("several strips") {
  check("m = 64, n = 64, k = 96", tile, tile, given(3, 4, 6) * strip);
  // x and W have more numbers than 16 bits count. Those of x are small: in sums of so many the
  // order of the additions shows.
  check("m = 64, n = 64, k = 1100", tile, tile, given(1100), 0.01f);
}

TEST_CASE("several blocks") {
  check("m = 128, n = 64, k = 32", given(2, 1, 3) * tile, within(1, 2, 3) * tile, strip);
}

TEST_CASE("matrices that tiles and strips do not fill exactly") {
  check("m = 70, n = 50, k = 40", given(70), given(50), given(40));
  check("m = 5, n = 90, k = 7", given(5), given(90), given(7));
  check("m = 5, n = 90, k = 7, where x is 0", given(5), given(90), given(7), 0);
}

TEST_CASE("a number from shared memory is used four times") {
  check_counts(
      "accesses of whole warps to shared memory",
      [](const Factors& of) { return loads(of) + taken(of); },
      [](const cuda::KernelCounts& counts) { return counts.shared_accesses; });
}

TEST_CASE("a warp reads whole segments of 128 bytes, and each number once for each tile") {
  check_counts(
      "transactions", [](const Factors& of) { return taken(of) + writes(of); },
      [](const cuda::KernelCounts& counts) { return counts.transactions + counts.device_atomics; });
}

TEST_CASE("no two lanes access different words of one bank") {
  check_counts(
      "bank conflicts", [](const Factors&) { return 0; },
      [](const cuda::KernelCounts& counts) { return counts.conflicts; });
}
