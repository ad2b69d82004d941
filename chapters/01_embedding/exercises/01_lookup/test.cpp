#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using namespace xf::exercise;

TEST_CASE("each word gets its row, times sqrt(D)") {
  const Tensor weight = exercise::random({7, 8}, 1);
  const Ids ids = given(Ids{{1, 3}, {6, 2, 0}}, 7);
  const auto expected = [&] { return embedding(ids, weight) * std::sqrt(8.0f); };
  const xt::xtensor<int, 1> words = {ids[0], ids[1], ids[2]};
  COMPARE("E", reshape(expected(), {3, 8}), embed(words, to_xt<2>(weight)));
}

TEST_CASE("a sentence of one word gives one row") {
  const Tensor weight = exercise::random({3, 6}, 2);
  const xt::xtensor<int, 1> words = {2};
  COMPARE("E", slice(weight, 0, 2, 1) * std::sqrt(6.0f), embed(words, to_xt<2>(weight)));
}
