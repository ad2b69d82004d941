#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

static void check(const std::string& name, const Tensor& logits, const std::vector<int>& usual,
                  float usual_smoothing, int usual_padding) {
  const auto [targets, padding] = exercise::given(usual, logits.size(1), usual_padding);
  const float smoothing =
      exercise::given(usual_smoothing, 0.5f * usual_smoothing, 1.5f * usual_smoothing);
  const Ids ids({static_cast<int>(targets.size())}, targets);
  const auto wanted = [&] {
    return reshape(cross_entropy(logits, ids, {.ignore = padding, .smoothing = smoothing}), {1});
  };
  COMPARE(name, wanted(),
          Tensor::full({1}, exercise::smoothed_cross_entropy(to_xt<2>(logits), targets, smoothing,
                                                             padding)));
}

TEST_CASE("without smoothing it is the mean of -log p of the right words") {
  check("loss, smoothing 0", exercise::random({3, 5}, 91, 2.0f), {4, 1, 2}, 0.0f, 0);
}

TEST_CASE("smoothing gives eps / V to every word") {
  check("loss, smoothing 0.3", exercise::random({4, 3}, 92, 2.0f), {1, 2, 2, 1}, 0.3f, 0);
}

TEST_CASE("padding does not count") {
  check("loss, 2 of 5 rows padding", exercise::random({5, 4}, 93, 2.0f), {0, 3, 1, 0, 2}, 0.1f, 0);
  check("loss, 1 of 4 rows padding, padding = 2", exercise::random({4, 5}, 95, 2.0f), {0, 2, 4, 1},
        0.2f, 2);
  check("loss, 2 of 5 rows padding, no smoothing", exercise::random({5, 4}, 98, 2.0f),
        {3, 1, 0, 2, 0}, 0, 0);
  // Many rows, about a third of them padding.
  const int rows = exercise::given(20, 20, 40), words = exercise::given(30, 30, 60);
  Random random(exercise::salted(96));
  std::vector<int> many;
  while (int(many.size()) < rows - 1)
    many.push_back(random.below(3) == 0 ? 0 : 1 + random.below(words - 1));
  many.push_back(1);
  check("loss, many rows of many words", exercise::random({rows, words}, 97), many, 0.2f, 0);
}

TEST_CASE("large logits stay finite") {
  const Tensor sixty = exercise::given({2, 3}, {60, -60, 1, -2, 60, -60});
  const Tensor hundreds = exercise::random({2, 6}, 94, 400.0f);
  check("loss, logits 60 and -60", sixty, {1, 2}, 0.1f, 0);
  check("loss, logits of several hundred", hundreds, {5, 3}, 0.1f, 0);
  check("loss, logits 60 and -60, no smoothing", sixty, {1, 2}, 0, 0);
  check("loss, logits of several hundred, no smoothing", hundreds, {5, 3}, 0, 0);
  check("loss, logits of several hundred, no smoothing, 1 of 2 rows padding", hundreds, {5, 0}, 0,
        0);
}
