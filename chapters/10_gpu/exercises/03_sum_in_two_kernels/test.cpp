#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::given, exercise::in_orders, exercise::OnDevice;

namespace {

using Numbers = std::vector<float>;

Numbers numbers(int count, std::uint64_t seed) {
  return count == 0 ? Numbers() : exercise::random({count}, seed).values();
}

// Behind x stand numbers that belong to nobody.
float own_sum(const Numbers& x) {
  Numbers longer = x;
  longer.resize(x.size() + 300, 1000.0f);
  OnDevice from(longer);
  return exercise::sum_on_device(from.data(), static_cast<int>(x.size()));
}

void check(const std::string& what, int count) {
  const Numbers x = numbers(count, 321);
  const auto sum = [&] {
    return Numbers{static_cast<float>(std::accumulate(x.begin(), x.end(), 0.0))};
  };
  COMPARE("sum in three orders, " + what, in_orders(3, sum()),
          in_orders(3, [&] { return Numbers{own_sum(x)}; }));
}

Tensor number(double x) { return Tensor::full({1}, static_cast<float>(x)); }

}  // namespace

TEST_CASE("numbers for one block") {
  check("256 numbers", 256);
  check("10 numbers", given(10));
  check("1 number", 1);
}

TEST_CASE("more numbers than a block has threads") {
  check("257 numbers", given(257));
  check("3000 numbers", given(3000));
}

TEST_CASE("more numbers than a grid of 16 blocks has threads") {
  check("9000 numbers", given(9000));
}

TEST_CASE("no numbers at all") { check("0 numbers", 0); }

TEST_CASE("the same bits in every order") {
  const Numbers x = numbers(2000, 322);
  const auto different = [&] {
    std::vector<float> sums = in_orders(12, [&] { return Numbers{own_sum(x)}; }).values();
    std::sort(sums.begin(), sums.end());
    return number(double(std::unique(sums.begin(), sums.end()) - sums.begin()));
  };
  COMPARE("how many different sums in 12 orders", number(1), different());
}

TEST_CASE("one number comes back") {
  const Numbers x = numbers(5000, 323);
  const auto bytes = [&] {
    const cuda::Traffic before = cuda::traffic();
    own_sum(x);
    return number(double(cuda::traffic().bytes_to_host - before.bytes_to_host));
  };
  COMPARE("bytes copied to the host", number(4), bytes());
}
