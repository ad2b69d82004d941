#include "seeing/head_measures.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace xf::test {

namespace {

// Five tokens, a b a c a; a query sees itself and what is before it.
const std::vector<int> ids{7, 8, 7, 9, 7};
const std::vector<float> back{
    1,     0,     0,     0,     0,  //
    0.5f,  0.5f,  0,     0,     0,  //
    0.5f,  0.25f, 0.25f, 0,     0,  // query 2
    0.25f, 0.25f, 0.25f, 0.25f, 0,  // query 3
    0.5f,  0,     0.25f, 0.25f, 0,  // query 4
};

}  // namespace

TEST_CASE("head_measures: a causal matrix worked by hand") {
  const HeadMeasures m = measured(back, ids, Sight::back);
  CHECK(m.first == doctest::Approx((0.5 + 0.25 + 0.5) / 3));
  CHECK(m.previous == doctest::Approx((0.25 + 0.25 + 0.25) / 3));
  CHECK(m.itself == doctest::Approx((0.25 + 0.25 + 0) / 3));
  CHECK(m.same == doctest::Approx(0.25));  // query 4 alone: query 2 has its token only at place 0
  CHECK(m.last == 0);
  CHECK(m.next == 0);
  // Entropies: 1.5 ln 2, ln 4, 1.5 ln 2.
  CHECK(m.spread == doctest::Approx((2 * std::pow(2, 1.5) + 4) / 3));
}

TEST_CASE("head_measures: a matrix that sees both sides, worked by hand") {
  const std::vector<int> five{1, 2, 3, 3, 9};
  std::vector<float> weights(25, 0.2f);
  const float row[] = {0.1f, 0.2f, 0.05f, 0.3f, 0.35f};  // query 2, the only one that counts
  std::copy(std::begin(row), std::end(row), weights.begin() + 10);
  const HeadMeasures m = measured(weights, five, Sight::both);
  CHECK(m.first == doctest::Approx(0.1));
  CHECK(m.last == doctest::Approx(0.35));
  CHECK(m.previous == doctest::Approx(0.2));
  CHECK(m.next == doctest::Approx(0.3));
  CHECK(m.itself == doctest::Approx(0.05));
  CHECK(m.same == doctest::Approx(0.3));
}

TEST_CASE("head_measures: induction and duplicates of a text said twice") {
  // <s> a b a b: the second a is query 3, its first time key 1, what came then key 2.
  std::vector<float> weights(25, 0);
  weights[3 * 5 + 1] = 0.25f, weights[3 * 5 + 2] = 0.75f;
  weights[4 * 5 + 2] = 0.5f, weights[4 * 5 + 3] = 0.375f;
  CHECK(induction(weights, {1, 2}) == doctest::Approx((0.75 + 0.375) / 2));
  CHECK(duplicates(weights, {1, 2}) == doctest::Approx((0.25 + 0.5) / 2));
}

TEST_CASE("head_measures: another number of weights, and too few tokens") {
  CHECK_THROWS_WITH(measured(back, {1, 2, 3}, Sight::back),
                    "head_measures: 25 weights for 3 tokens");
  const std::vector<float> four(16, 0.25f);
  CHECK_THROWS_WITH(measured(four, {1, 2, 3, 4}, Sight::both),
                    "head_measures: 4 tokens are too few");
  CHECK_THROWS_WITH(induction(back, {0, 2}), "head_measures: 25 weights for 4 tokens");
}

}  // namespace xf::test
