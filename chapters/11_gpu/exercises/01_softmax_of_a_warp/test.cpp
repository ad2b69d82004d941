#include "support/test.hpp"
#include "exercise.hpp"

#include "support/watched.hpp"

using namespace xf;
using exercise::checked, exercise::given, exercise::in_orders, exercise::Once, exercise::OnDevice,
    exercise::OwnNumbers;

namespace {

using Numbers = std::vector<float>;

constexpr int orders = 3;

// y[thread] = sum_of_warp(x[thread])
__global__ void sums(const float* x, float* y) {
  const std::ptrdiff_t thread = cuda::thread_number();
  y[thread] = exercise::sum_of_warp(x[thread]);
}

Numbers own_sums(const Numbers& x) {
  OnDevice from(x), to(Numbers(x.size()));  // whose writes have no hooks
  cuda::launch({"sums", 1, static_cast<unsigned>(x.size())}, sums, from.data(), to.data());
  return to.values();
}

// Counts the exchanges of a warp while it lives.
class Exchanges : public emulator::Watcher {
 public:
  Exchanges() { emulator::watcher = this; }
  ~Exchanges() override { emulator::watcher = nullptr; }
  int count = 0;

 private:
  void lanes_meet(std::size_t, unsigned, bool orders_memory) override { count += !orders_memory; }
};

constexpr int steps = 5;  // in which a warp adds up its 32 values

// Five, or six: one more tells all lanes what lane 0 has found.
int five_or_six(int exchanges) { return exchanges == steps + 1 ? steps : exchanges; }

Numbers sums_by_warp(const Numbers& x) {
  Numbers y;
  for (std::size_t warp = 0; warp < x.size() / 32; ++warp) {
    double sum = 0;
    for (std::size_t lane = 0; lane < 32; ++lane) sum += x[warp * 32 + lane];
    y.insert(y.end(), 32, static_cast<float>(sum));
  }
  return y;
}

Tensor tensor(const Numbers& y) { return Tensor::from({int(y.size())}, y); }

enum class Finds { all, own };  // what a lane finds in x

Numbers own_softmax(const Tensor& x, Finds finds = Finds::all) {
  OnDevice from(x.values());
  std::optional<OwnNumbers> own;
  if (finds == Finds::own) own.emplace(from, x.values(), x.size(1));
  cuda::Buffer<float> to(static_cast<std::size_t>(x.count()));
  cuda::launch(cuda::one_warp_each("softmax_rows", x.size(0)), exercise::softmax_rows, from.data(),
               to.data(), x.size(0), x.size(1));
  return to.values();
}

void check(const std::string& what, const Tensor& x) {
  COMPARE("softmax in three orders, " + what, in_orders(orders, softmax(x).values()),
          in_orders(orders, [&] { return own_softmax(x); }));
}

// Each lane reads its own numbers, and has the others' part from the exchange.
void check_shared(const std::string& what, const Tensor& x) {
  COMPARE("softmax, where lane l finds only the numbers l, l + 32 ... of its row, " + what,
          softmax(x), Tensor::from(x.shape(), own_softmax(x, Finds::own)));
  COMPARE("softmax, every access checked, " + what, softmax(x),
          Tensor::from(x.shape(), checked([&] { return own_softmax(x); })));
}

}  // namespace

TEST_CASE("every lane gets the sum of its warp") {
  const Numbers x = exercise::random({32 * given(2)}, 301).values();
  COMPARE("sums of two warps, in three orders", in_orders(orders, sums_by_warp(x)),
          in_orders(orders, [&] { return own_sums(x); }));
  COMPARE("sums of two warps, every access checked", tensor(sums_by_warp(x)),
          tensor(checked([&] { return own_sums(x); })));
  const Numbers one = exercise::random({32}, 309).values();
  struct Run {
    Numbers sums;
    int exchanges;
  };
  Once run([&] {
    const Exchanges counted;
    const Numbers sums = own_sums(one);
    return Run{sums, counted.count};
  });
  const auto number = [](long n) { return Tensor::full({1}, float(n)); };
  COMPARE("exchanges between the lanes: five", number(steps), number(five_or_six(run->exchanges)));
  COMPARE("sums of the warp whose exchanges were counted", tensor(sums_by_warp(one)),
          tensor(run->sums));
  Once reads([&] { return exercise::most_reads([&] { return own_sums(one); }); });
  COMPARE("numbers that the busiest lane reads from memory to add them up", number(0),
          number(reads->both));
  COMPARE("sums of the warp whose reads were counted", tensor(sums_by_warp(one)),
          tensor(reads->result));
}

TEST_CASE("one number for each lane") { check("2 rows of 32", exercise::random({2, 32}, 302)); }

TEST_CASE("rows that are shorter or longer than a warp") {
  check("3 rows of 5", exercise::random({given(3), given(5)}, 303));
  check("2 rows of 150", exercise::random({2, given(150, 150, 300)}, 304));
  check_shared("2 rows of 100", exercise::random({2, given(100)}, 308));
}

TEST_CASE("the last block has warps without a row") {
  check("5 rows of 33", exercise::random({given(5, 9, 15), given(33)}, 305));
  check("1 row of 64", exercise::random({1, 64}, 306));
}

TEST_CASE("large and very negative scores") {
  check("2 rows, scores of several hundred", exercise::random({2, 40}, 307, 300));
  check("2 rows of equal scores", exercise::given({2, 4}, {3, 1, 3, 3, 0, 0, 0, 0}));
  check("1 row of about -400", exercise::given({1, 4}, {-400, -401, -402, -400.5f}));
}
