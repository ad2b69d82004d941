#include "tensor/tensor.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include <algorithm>
#include <limits>
#include <thread>

#include "support/close.hpp"
#include "tensor/random.hpp"
#include "tensor/xt.hpp"

namespace xf::test {

TEST_CASE("shape: counts, rows and negative axes") {
  const Shape shape{2, 3, 4};
  CHECK(shape.rank() == 3);
  CHECK(shape.count() == 24);
  CHECK(shape.count(1, 3) == 12);
  CHECK(shape.rows() == 6);
  CHECK(shape[-1] == 4);
  CHECK(shape[0] == 2);
  CHECK(shape.str() == "(2, 3, 4)");
  CHECK(Shape{}.count() == 1);
  CHECK(Shape{}.rows() == 1);
  CHECK(Shape{}.str() == "()");
  CHECK(Shape{2, 0, 3}.count() == 0);
  CHECK(shape == Shape{2, 3, 4});
  CHECK_FALSE(shape == Shape{2, 3});
  CHECK_FALSE(shape == Shape{2, 3, 5});
}

TEST_CASE("shape: bad axes and sizes are refused") {
  expect_error([] { Shape{1, 2, 3, 4, 5, 6}; }, {"shape: ", "5 axes"});
  expect_error([] { Shape{2, -1}; }, {"shape: ", "-1"});
  expect_error([] { Shape({2, 3})[2]; }, {"shape: ", "axis 2", "(2, 3)"});
  expect_error([] { Shape({2, 3})[-3]; }, {"shape: ", "axis -3", "(2, 3)"});
  expect_error([] { Shape({2, 3}).set(5, 1); }, {"shape: ", "axis 5", "(2, 3)"});
}

TEST_CASE("tensor: made from values, filled, zeroed") {
  const Tensor x = Tensor::from({2, 2}, {1, 2, 3, 4});
  CHECK(x.values() == std::vector<float>{1, 2, 3, 4});
  CHECK(Tensor::zeros({3}).values() == std::vector<float>(3, 0));
  CHECK(Tensor::full({}, 7).item() == 7);
  CHECK(x.rank() == 2);
  CHECK(x.size(-1) == 2);
  CHECK_FALSE(Tensor().defined());
  CHECK(Tensor::zeros({0, 3}).defined());
}

TEST_CASE("tensor: a copy shares the numbers, a clone does not") {
  Tensor x = Tensor::from({2}, {1, 2});
  CHECK(x.sole_owner());
  const Tensor shared = x, cloned = x.clone();
  CHECK_FALSE(x.sole_owner());
  copy_into(x, {9}, 0);
  CHECK(shared.values()[0] == 9);
  CHECK(cloned.values()[0] == 1);
  CHECK(shared.key() == x.key());
}

TEST_CASE(
    "tensor: values are a view that sees changes and outlives the tensor; a vector is a copy") {
  Tensor x = Tensor::from({3}, {1, 2, 3});
  const Values seen = x.values();
  const std::vector<float> before = x.values();
  copy_into(x, {7, 8}, 1);
  CHECK(seen.begin() == x.values().begin());
  CHECK(seen == std::vector<float>{1, 7, 8});
  CHECK_FALSE(seen == before);
  replace_each(x, [](float number) { return 2 * number; });
  CHECK(seen == x.values());
  x = Tensor();
  CHECK(seen == std::vector<float>{2, 14, 16});
  CHECK(x.values().size() == 0);
  CHECK(Tensor::zeros({0, 3}).values() == std::vector<float>());
}

TEST_CASE("tensor: a view has the same numbers and no history") {
  Tensor x = Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6});
  x.leaf = true;
  const Tensor y = x.view({3, 2});
  CHECK(y.key() == x.key());
  CHECK(y.shape() == Shape{3, 2});
  CHECK_FALSE(y.leaf);
}

TEST_CASE("tensor: 64-byte aligned, whatever the size") {
  for (int size : {1, 3, 17, 1000})
    CHECK(reinterpret_cast<std::uintptr_t>(Tensor::zeros({size}).data(Cpu{})) % 64 == 0);
}

#ifdef XF_SANITIZE
#ifdef __SANITIZE_ADDRESS__
TEST_CASE("tensor: the sanitizer knows where memory ends, and that it was given back") {
  const float* data = nullptr;
  {
    const Tensor x = Tensor::empty({1001});
    data = x.data(Cpu{});
    CHECK_FALSE(__asan_address_is_poisoned(data + 1000));
    CHECK(__asan_address_is_poisoned(data + 1001));
  }
  CHECK(__asan_address_is_poisoned(data));
}
#endif
#else
TEST_CASE("tensor: memory that was given back serves sizes from two thirds of it on") {
  std::thread([] {  // whose memory nobody has used yet
    const Tensor kept = Tensor::empty({10'000});
    const float* before = Tensor::empty({1000}).data(Cpu{});
    CHECK(Tensor::empty({1000}).data(Cpu{}) == before);
    CHECK(Tensor::empty({700}).data(Cpu{}) == before);
    CHECK(Tensor::empty({600}).data(Cpu{}) != before);
  })
      .join();
}

TEST_CASE("tensor: where most memory lies idle, it serves sizes from its half on") {
  std::thread([] {
    const float* before = Tensor::empty({1000}).data(Cpu{});
    CHECK(Tensor::empty({600}).data(Cpu{}) == before);
    CHECK(Tensor::empty({400}).data(Cpu{}) != before);
  }).join();
}
#endif

TEST_CASE("tensor: what does not fit is refused, with the shapes") {
  const Tensor x = Tensor::zeros({2, 3});
  expect_error([] { Tensor::from({2, 2}, {1, 2, 3}); }, {"tensor: ", "(2, 2)", "4", "3"});
  expect_error([&] { x.view({4}); }, {"view: ", "(2, 3)", "(4)"});
  expect_error([&] { x.item(); }, {"item: ", "(2, 3)"});
  expect_error([] { Tensor().item(); }, {"item: "});
  Tensor to = Tensor::zeros({2, 3});
  expect_error(
      [&] {
        copy_into(to, {1, 2}, 5);
      },
      {"copy_into: ", "2 values from number 5", "(2, 3)"});
  expect_error([&] { copy_into(to, {1}, -1); }, {"copy_into: ", "-1"});
  expect_error([&] { std::as_const(x).data(Cuda{}); }, {"device: ", "(2, 3)", "cpu", "cuda"});
  expect_error([] { Ids({2}, {1, 2, 3}); }, {"ids: ", "(2)", "2", "3"});
}

TEST_CASE("tensor: sizes beyond all memory, and rows beyond an int, are refused") {
  const int most = std::numeric_limits<int>::max();
  expect_error([&] { Tensor::empty({most, most}); }, {"tensor: ", "(2147483647, 2147483647)"});
  expect_error([&] { Tensor::empty({most, most, most, most, 4}); }, {"tensor: "});
  expect_error([&] { Shape({most, 2, 3}).rows(); }, {"shape: ", "rows", "(2147483647, 2, 3)"});
  CHECK(Shape({most, 1, 3}).rows() == most);
}

TEST_CASE("tensor: a device that was not built in is refused in clear words") {
  const Tensor x = Tensor::zeros({2});
  CHECK(x.to(Device::cpu).key() == x.key());
  if (built_with_cuda() || built_with_emulator()) return;
  expect_error([] { zeros(2).to(Device::cuda); }, {"cuda is not built"});
  expect_error([] { Tensor::zeros({2}, Device::cuda); }, {"cuda is not built"});
}

TEST_CASE("ids: a (B, T) array") {
  const Ids ids({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(ids.at(1, 0) == 4);
  CHECK(ids.count() == 6);
  CHECK(Ids::full({2}, 7).values() == std::vector<std::int32_t>{7, 7});
  CHECK_FALSE(Ids().defined());
}

TEST_CASE("xt: there and back is the same tensor; a wrong rank is refused") {
  const Tensor x = Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(to_xt<2>(x)(1, 0) == 4);
  expect_same("back", from_xt(to_xt<2>(x)), x);
  expect_error([&] { to_xt<3>(x); }, {"to_xt: ", "3", "(2, 3)"});
}

TEST_CASE("random: the same seed gives the same numbers, of the promised mean and variance") {
  Random a(5), b(5), other(6);
  bool differs = false, same = true;
  double sum = 0, squares = 0, uniform_sum = 0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double x = a.normal();
    same = same && x == b.normal();
    differs = differs || x != other.normal();
    sum += x;
    squares += x * x;
    uniform_sum += a.uniform(-1, 3);
    b.uniform();
  }
  CHECK(same);
  CHECK(differs);
  CHECK(std::abs(sum / n) < 4 / std::sqrt(double(n)));
  CHECK(std::abs(squares / n - 1) < 4 * std::sqrt(2.0 / n));
  CHECK(std::abs(uniform_sum / n - 1) < 4 * 4 / std::sqrt(12.0 * n));
}

TEST_CASE("random: shuffle permutes") {
  std::vector<int> order(100);
  for (int i = 0; i < 100; ++i) order[static_cast<std::size_t>(i)] = i;
  std::vector<int> shuffled = order;
  Random(1).shuffle(shuffled.begin(), shuffled.end());
  CHECK(shuffled != order);
  std::sort(shuffled.begin(), shuffled.end());
  CHECK(shuffled == order);
}

// The tests' own ruler.
TEST_CASE("difference: reports tensor, index and both values, and lets no NaN pass") {
  const Tensor want = Tensor::from({2, 2}, {1, 2, 3, 4});
  CHECK(difference("x", want, want, 0) == "");
  CHECK(difference("x", Tensor::from({2, 2}, {1, 2, 3.00003f, 4}), want) == "");
  const std::string text = difference("op/y", Tensor::from({2, 2}, {1, 2, 3.25f, 5}), want);
  CHECK(text == "op/y[1, 0] is 3.25, not 3; the worst gap is 25000 times the tolerance");
  CHECK(difference("x", Tensor::from({2, 2}, {1, 2, 3, std::nanf("")}), want) != "");
  CHECK(difference("x", want.view({4}), want) != "");
  CHECK(difference("x", Tensor(), want) != "");
}

TEST_CASE("tensor: over memory of others, of which there may be none") {
  const auto lent = std::make_shared<std::vector<float>>(3, 2.0f);
  {
    const Tensor over = Tensor::over({3}, std::shared_ptr<void>(lent, lent->data()));
    CHECK(over.values() == std::vector<float>{2, 2, 2});
    CHECK(lent.use_count() == 2);
    const Tensor nothing = Tensor::over({0}, nullptr);  // an empty part of a file has no address
    CHECK(nothing.count() == 0);
  }
  CHECK(lent.use_count() == 1);
}

}  // namespace xf::test
