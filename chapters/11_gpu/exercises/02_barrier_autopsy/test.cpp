#include "support/test.hpp"
#include "exercise.hpp"

#include "support/watched.hpp"

using namespace xf;
using exercise::checked, exercise::given, exercise::in_orders, exercise::Once, exercise::OnDevice,
    exercise::OwnNumbers;

namespace {

using Numbers = std::vector<float>;

constexpr int orders = 20;

enum class Finds { all, own };  // what a thread finds in x

Numbers own_sums(const Numbers& x, int threads, Finds finds = Finds::all) {
  const unsigned blocks = cuda::blocks_for(static_cast<std::ptrdiff_t>(x.size()), threads);
  Numbers longer = x;
  longer.resize(x.size() + std::size_t(threads), 1000.0f);  // who reads beyond x finds something
  OnDevice from(longer);
  std::optional<OwnNumbers> own;
  if (finds == Finds::own) own.emplace(from, x, 32);
  cuda::Buffer<float> to(blocks);
  cuda::launch({"block_sums", blocks, static_cast<unsigned>(threads)}, exercise::block_sums,
               from.data(), to.data(), static_cast<int>(x.size()));
  return to.values();
}

Numbers sums(const Numbers& x, int threads) {
  Numbers y;
  for (std::size_t first = 0; first < x.size(); first += std::size_t(threads)) {
    const std::size_t last = std::min(first + std::size_t(threads), x.size());
    y.push_back(static_cast<float>(
        std::accumulate(x.begin() + std::ptrdiff_t(first), x.begin() + std::ptrdiff_t(last), 0.0)));
  }
  return y;
}

void check(const std::string& what, int count, int threads) {
  const Numbers x = exercise::random({count}, 311).values();
  COMPARE("sums in 20 orders, " + what, in_orders(orders, sums(x, threads)),
          in_orders(orders, [&] { return own_sums(x, threads); }));
}

Tensor tensor(const Numbers& y) { return Tensor::from({int(y.size())}, y); }

void check_accesses(const std::string& what, int count, int threads) {
  const Numbers x = exercise::random({count}, 313).values();
  COMPARE("sums, every access checked, " + what, tensor(sums(x, threads)),
          tensor(checked([&] { return own_sums(x, threads); })));
}

// Each thread reads its own number, and the block adds them up.
void check_shared(const std::string& what, int count, int threads) {
  const Numbers x = exercise::random({count}, 312).values();
  COMPARE("sums, where lane l finds only the numbers l, l + 32 ..., " + what,
          tensor(sums(x, threads)), tensor(own_sums(x, threads, Finds::own)));
}

// A tree of 256 numbers has eight levels, at each of which a thread reads two numbers.
void check_busiest(const std::string& what, int count, int threads) {
  const Numbers x = exercise::random({count}, 314).values();
  constexpr long most = 32;
  const auto number = [](long n) { return Tensor::full({1}, float(n)); };
  Once run([&] { return exercise::most_reads([&] { return own_sums(x, threads); }); });
  COMPARE("numbers that the busiest thread reads: 32 at most, " + what, number(most),
          number(std::max(most, run->both)));
  COMPARE("sums of the same run, " + what, tensor(sums(x, threads)), tensor(run->result));
}

}  // namespace

TEST_CASE("no thread reads what is not yet written or is being written") {
  check_accesses("128 numbers, 64 threads", 128, 64);
  check_accesses("150 numbers, 64 threads", given(150, 130, 190), 64);
}

TEST_CASE("one warp, one block") { check("32 numbers, 32 threads", 32, 32); }

TEST_CASE("several warps wait for one another") {
  check("64 numbers, 64 threads", 64, 64);
  check("768 numbers, 256 threads", 256 * given(3, 3, 8), 256);
  check_shared("128 numbers, 64 threads", 64 * given(2), 64);
}

TEST_CASE("the last block has threads without a number") {
  check("150 numbers, 64 threads", given(150, 130, 190), 64);
  check("129 numbers, 128 threads", given(129, 129, 140), 128);
  // Fewer threads than a warp has lanes.
  for (const int few : {2, 8, 16})
    check(std::to_string(3 * few - 1) + " numbers, " + std::to_string(few) + " threads",
          few * given(3) - 1, few);
}

TEST_CASE("no thread does all the adding") {
  check_busiest("500 numbers, 256 threads", given(500, 300, 512), 256);
  check_busiest("128 numbers, 128 threads", 128, 128);
}

TEST_CASE("a single number") {
  check("1 number, 64 threads", 1, 64);
  check("1 number, 1 thread", 1, 1);
}
