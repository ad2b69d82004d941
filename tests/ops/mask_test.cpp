#include "ops/mask.hpp"

#include "ops/softmax/softmax.hpp"
#include "support/close.hpp"
#include "support/grad_check.hpp"

namespace xf::test {

using Numbers = std::vector<std::int32_t>;

TEST_CASE("mask: nothing said allows everything") {
  CHECK_FALSE(Mask().defined());
  CHECK_FALSE(Mask(Ids()).defined());
  CHECK_FALSE(Mask().allowed().defined());
  CHECK(Mask().packing() == nullptr);
}

TEST_CASE("mask: numbers are kept as they are") {
  const Ids numbers({1, 2, 3}, {1, 0, 0, 1, 1, 0});
  const Mask mask = numbers;
  CHECK(mask.defined());
  CHECK(mask.packing() == nullptr);
  CHECK(mask.allowed().shape() == Shape{1, 2, 3});
  CHECK(mask.allowed().values() == numbers.values());
}

TEST_CASE("mask: packed sentences are blocks on the diagonal, causal ones triangles") {
  const Mask across = Packing{{0, 1, 3}, {0, 2, 4}}, causal = Packing{{0, 1, 3}, {0, 1, 3}, true};
  CHECK(across.defined());
  CHECK(across.packing()->keys == std::vector<int>{0, 2, 4});
  CHECK(across.allowed().shape() == Shape{1, 3, 4});
  CHECK(across.allowed().values() == Numbers{1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1});
  CHECK(causal.allowed().values() == Numbers{1, 0, 0, 0, 1, 0, 0, 1, 1});
  const Mask unseen = Packing{{0, 3}, {0, 2}, true}, hidden = Packing{{0, 1}, {0, 3}, true};
  CHECK(unseen.allowed().values() == Numbers{1, 0, 1, 1, 1, 1});
  CHECK(hidden.allowed().values() == Numbers{1, 0, 0});
  CHECK(Mask(Packing{{0}, {0}}).allowed().count() == 0);  // no sentence
}

TEST_CASE("mask: starts that are none are refused") {
  using Starts = std::vector<int>;
  for (const Packing& packing :
       {Packing{Starts{}, Starts{}}, Packing{Starts{0, 2}, Starts{0, 1, 2}},
        Packing{Starts{1, 2}, Starts{0, 2}}, Packing{Starts{0, 3, 2}, Starts{0, 1, 2}}})
    expect_error([&] { Mask mask(packing); }, {"mask: ", "packed sentences"});
}

TEST_CASE("softmax: a mask of packed sentences is taken as it is written out") {
  const Tensor x = random_leaf({1, 2, 3, 4}, 1);
  const Mask mask = Packing{{0, 1, 3}, {0, 2, 4}};
  expect_same("y", softmax(x, {.mask = mask}), softmax(x, {.mask = mask.allowed()}));
  expect_error(
      [&] {
        softmax(random_leaf({2, 2, 3, 4}, 1), {.mask = Packing{{0, 3}, {0, 3}}});
      },
      {"softmax: ", "(2, 2, 3, 4)", "(1, 3, 3)"});
}

}  // namespace xf::test
