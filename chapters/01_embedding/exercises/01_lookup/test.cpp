#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using namespace xf::exercise;

TEST_CASE("each word gets its row, times sqrt(D)") {
  const int d = exercise::given(8, 20, 40), v = exercise::given(7, 30, 90);
  const Tensor weight = exercise::random({v, d}, 1);
  const Ids ids = given(Ids{{1, 3}, {6, 2, 0}}, v);
  const auto expected = [&] { return embedding(ids, weight) * std::sqrt(static_cast<float>(d)); };
  const xt::xtensor<int, 1> words = {ids[0], ids[1], ids[2]};
  COMPARE("E", reshape(expected(), {3, d}), embed(words, to_xt<2>(weight)));
  Ids usual = Ids::full({1, given(20, 30, 60)}, 0);
  for (int t = 0; t < usual.size(1); ++t) usual[t] = 3 * t % 7;
  const Ids many = given(usual, v);
  const auto longer = [&] { return embedding(many, weight) * std::sqrt(static_cast<float>(d)); };
  xt::xtensor<int, 1> all = xt::zeros<int>({many.size(1)});
  std::copy(many.begin(), many.end(), all.begin());
  COMPARE("E of 20 words", reshape(longer(), {many.size(1), d}), embed(all, to_xt<2>(weight)));
}

TEST_CASE("a sentence of one word gives one row") {
  const int d = exercise::given(6), v = exercise::given(3), word = exercise::within(2, 0, v - 1);
  const Tensor weight = exercise::random({v, d}, 2);
  const xt::xtensor<int, 1> words = {word};
  COMPARE("E", slice(weight, 0, word, 1) * std::sqrt(static_cast<float>(d)),
          embed(words, to_xt<2>(weight)));
}
