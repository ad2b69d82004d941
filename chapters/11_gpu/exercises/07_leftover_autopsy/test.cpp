#include "support/test.hpp"
#include "exercise.hpp"

#include "support/watched.hpp"

using namespace xf;
using exercise::block_threads, exercise::checked, exercise::counts_of, exercise::given,
    exercise::in_orders, exercise::Once, exercise::OnDevice;

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
  const float a = given(0.5f, -2.0f, 2.0f);
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

// A warp reads 128 numbers of x and of y at once, and writes as many. What is left over is one
// thread's, number by number: two reads and a write of each, and a few more for other ways.
void check_counts(const std::string& what, int count) {
  const float a = given(0.5f, 0.25f, 2.0f);
  const Numbers x = numbers(count, 365), y = numbers(count, 366);
  const long most = 3L * ((count / 4 + 31) / 32) + (count % 4 > 0 ? 12 : 0);
  const auto number = [](long n) { return Tensor::full({1}, float(n)); };
  Once run([&] { return counts_of([&] { return own(a, x, y, 0); }); });
  COMPARE("accesses of whole warps for " + what, number(most),
          number(std::max(most, run->of("add_scaled").accesses)));
  COMPARE("y of the same run, " + what, Tensor::from({count}, sums(a, x, y, 0)),
          Tensor::from({count}, run->result));
}

}  // namespace

TEST_CASE("exactly four numbers for each thread") { check("1024 numbers", 1024); }

TEST_CASE("a last block that is not full") {
  check("700 numbers", 4 * given(175, 150, 400));
  check("40 numbers", 4 * given(10));
}

TEST_CASE("one, two or three numbers are left over") {
  check("1025 numbers", 1025);
  check("702 numbers", 4 * given(175, 150, 400) + given(2, 1, 3));
  check("43 numbers", 4 * given(10) + 3);
}

TEST_CASE("fewer numbers than one load fetches") {
  check("3 numbers", 3);
  check("1 number", 1);
}

TEST_CASE("no access beyond x and y") {
  check_accesses("512 numbers", 512);
  check_accesses("514 numbers", 510 + given(4, 1, 5));
}

TEST_CASE("four numbers per load") {
  check_counts("768 numbers", 4 * 32 * given(6, 5, 9));
  check_counts("771 numbers", 4 * 32 * given(6, 5, 9) + given(3, 1, 3));
  check_counts("790 numbers", 4 * (32 * given(6, 5, 9) + given(5, 1, 30)) + given(2, 1, 3));
}
