#include "support/test.hpp"
#include "exercise.hpp"

#include "support/watched.hpp"

using namespace xf;
using exercise::block_threads, exercise::checked, exercise::counts_of, exercise::given,
    exercise::in_orders, exercise::OnDevice;

namespace {

using Numbers = std::vector<float>;

constexpr int orders = 3;
constexpr float behind = 7;  // what stands behind y, and has to stay

Numbers numbers(int count, std::uint64_t seed) { return exercise::random({count}, seed).values(); }

void launch(float a, OnDevice& x, OnDevice& y, int count) {
  const int threads = (count + 3) / 4;
  cuda::launch({"add_scaled", cuda::blocks_for(threads, block_threads), unsigned(block_threads)},
               exercise::add_scaled, a, x.data(), y.data(), count);
}

// With `more` numbers behind both.
Numbers own(float a, Numbers x, Numbers y, int more) {
  const int count = int(x.size());
  x.resize(x.size() + std::size_t(more), 1000.0f);
  y.resize(y.size() + std::size_t(more), behind);
  OnDevice from(x), to(y);
  launch(a, from, to, count);
  return to.values();
}

Numbers sums(float a, const Numbers& x, Numbers y, int more) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += a * x[i];
  y.resize(y.size() + std::size_t(more), behind);
  return y;
}

void check(const std::string& what, int count) {
  const float a = given(0.5f, 0.25f, 2.0f);
  const Numbers x = numbers(count, 361), y = numbers(count, 362);
  const int more = 4 * block_threads;
  COMPARE("y, and what stands behind it, in three orders, " + what,
          in_orders(orders, sums(a, x, y, more)),
          in_orders(orders, [&] { return own(a, x, y, more); }));
}

// Nothing stands behind them.
void check_accesses(const std::string& what, int count) {
  const float a = given(0.5f, 0.25f, 2.0f);
  const Numbers x = numbers(count, 363), y = numbers(count, 364);
  COMPARE("y, every access checked, " + what, Tensor::from({count}, sums(a, x, y, 0)),
          Tensor::from({count}, checked([&] { return own(a, x, y, 0); })));
}

}  // namespace

TEST_CASE("as many numbers as the threads have") { check("1024 numbers", 1024); }

TEST_CASE("a last block that is not full") {
  check("700 numbers", 700);
  check("40 numbers", 4 * given(10));
}

TEST_CASE("one, two or three numbers are left over") {
  check("1025 numbers", 1025);
  check("702 numbers", 702);
  check("43 numbers", 4 * given(10) + 3);
}

TEST_CASE("fewer numbers than a load brings") {
  check("3 numbers", 3);
  check("1 number", 1);
}

TEST_CASE("no access beyond x and y") {
  check_accesses("512 numbers", 512);
  check_accesses("514 numbers", 510 + given(4, 1, 5));
}

TEST_CASE("four numbers a load") {
  const int usual = 4 * 32 * given(6, 5, 9);
  for (const int left : {0, 3}) {
    const int count = usual + left;
    const Numbers x = numbers(count, 365), y = numbers(count, 366);
    // A warp reads 128 numbers of x and of y, and writes 128; each that is left, 1, 1 and 1.
    const long least = 3L * (usual / 128) + 3L * left;
    Numbers in_this_run;
    const auto accesses = [&] {
      const auto run = [&] { in_this_run = own(1, x, y, 0); };
      return std::max(least, counts_of("add_scaled", run).accesses);
    };
    const std::string what = left == 0 ? "768 numbers" : "771 numbers";
    COMPARE("accesses of whole warps for " + what, Tensor::full({1}, float(least)),
            Tensor::full({1}, float(accesses())));
    COMPARE("y of that run, " + what, Tensor::from({count}, sums(1, x, y, 0)),
            Tensor::from({int(in_this_run.size())}, in_this_run));
  }
}
