#include "ops/top_k/top_k.hpp"

#include <cmath>

#include "ops/reduce/reduce.hpp"
#include "support/golden.hpp"
#include "tensor/random.hpp"

namespace xf::test {

namespace {

std::vector<int> places(const Tensor& x, int k) {
  std::vector<int> found;
  for (const Placed& one : top_k(x, k)) found.push_back(one.index);
  return found;
}

}  // namespace

TEST_CASE("top_k: the largest first, of equal ones the first, NaN last") {
  const Tensor x = Tensor::from({2, 5}, {0, 2, 1, 2, 1, -INFINITY, NAN, 7, INFINITY, 7});
  CHECK(places(x, 1) == std::vector<int>{1, 3});
  CHECK(places(x, 3) == std::vector<int>{1, 3, 2, 3, 2, 4});
  CHECK(places(x, 9) == std::vector<int>{1, 3, 2, 4, 0, 3, 2, 4, 0, 1});
  for (const Placed& one : top_k(Tensor::from({3}, {NAN, NAN, -1}), 3))
    CHECK(one.value == (one.index == 2 ? -1 : -INFINITY));
  CHECK(top_k(Tensor::zeros({0, 4}), 2).empty());
}

TEST_CASE("top_k: few are looked for and many are sorted, with the same result") {
  Random random(1);
  for (int columns : {1, 63, 64, 65, 1000}) {
    std::vector<float> numbers;  // most of them several times
    for (int i = 0; i < 3 * columns; ++i)
      numbers.push_back(static_cast<float>(random.below(1 + columns / 3)));
    const Tensor x = Tensor::from({3, columns}, numbers);
    const std::vector<int> all = places(x, columns);
    for (int k : {1, 2, 7, 64, 65})
      for (int row = 0; row < 3; ++row) {
        const int count = std::min(k, columns);
        const std::vector<int> found = places(x, k);
        CHECK(std::equal(found.begin() + row * count, found.begin() + (row + 1) * count,
                         all.begin() + row * columns));
      }
    for (int row = 0; row < 3; ++row)
      for (int i = 1; i < columns; ++i) {
        const int place = all[std::size_t(row * columns + i)],
                  last = all[std::size_t(row * columns + i - 1)];
        const float now = numbers[std::size_t(row * columns + place)],
                    before = numbers[std::size_t(row * columns + last)];
        CHECK((before > now || (before == now && last < place)));
      }
  }
}

TEST_CASE("top_k and argmax: agree with PyTorch") {
  const Tensor x = ops_golden()("top_k/x");
  std::vector<float> values;
  for (const Placed& one : top_k(x, 5)) values.push_back(one.value);
  expect_same("values", Tensor::from({4, 5}, values), ops_golden()("top_k/values"));
  const auto same = [](const std::vector<int>& found, const std::string& name) {
    const Ids wanted = ops_golden().ids(name);
    return std::equal(found.begin(), found.end(), wanted.begin(), wanted.end());
  };
  CHECK(same(places(x, 5), "top_k/places"));
  CHECK(same(argmax(x), "top_k/largest"));
}

TEST_CASE("top_k: nothing of nothing is refused") {
  CHECK(error_of([] { top_k(zeros(2, 3), 0); }) ==
        "top_k: at least one number of a row wanted, not 0 of (2, 3)");
  CHECK(error_of([] { top_k(zeros(2, 0), 1); }) ==
        "top_k: at least one number of a row wanted, not 1 of (2, 0)");
}

}  // namespace xf::test
