#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

Tensor taped(const Tensor& logits, const std::vector<int>& targets, float smoothing, int padding) {
  const Ids ids({static_cast<int>(targets.size())}, targets);
  const Tensor x = parameter(logits.clone());
  Tape tape;
  return tape.backward(cross_entropy(x, ids, {.ignore = padding, .smoothing = smoothing})).of(x);
}

Tensor own(const Tensor& logits, const std::vector<int>& targets, float smoothing, int padding) {
  return from_xt(exercise::cross_entropy_backward(to_xt<2>(logits), targets, smoothing, padding));
}

void check(const std::string& name, const Tensor& logits, const std::vector<int>& usual,
           float usual_smoothing, int usual_padding) {
  const auto [targets, padding] = exercise::given(usual, logits.size(1), usual_padding);
  const float smoothing =
      exercise::given(usual_smoothing, 0.5f * usual_smoothing, 1.5f * usual_smoothing);
  COMPARE_GRADIENT(name, taped(logits, targets, smoothing, padding),
                   own(logits, targets, smoothing, padding));
}

}  // namespace

TEST_CASE("without smoothing: the probability minus the target") {
  check("gradient, N = 3, V = 5", exercise::random({3, 5}, 151, 2), {4, 1, 2}, 0, 0);
}

TEST_CASE("smoothing gives every word its share") {
  check("gradient, smoothing 0.3", exercise::random({4, 3}, 152, 2), {1, 2, 2, 1}, 0.3f, 0);
}

TEST_CASE("padding gets nothing and does not count") {
  check("gradient, 2 of 5 rows padding", exercise::random({5, 4}, 153), {0, 3, 1, 0, 2}, 0.1f, 0);
  check("gradient, padding = 2", exercise::random({4, 6}, 154), {0, 2, 5, 1}, 0.2f, 2);
  check("gradient, 2 of 5 rows padding, no smoothing", exercise::random({5, 4}, 158),
        {3, 0, 1, 0, 2}, 0, 0);
  // Many rows, about a third of them padding.
  const int rows = exercise::given(20, 20, 40), words = exercise::given(30, 30, 60);
  Random random(exercise::salted(96));
  std::vector<int> many;
  while (int(many.size()) < rows - 1)
    many.push_back(random.below(3) == 0 ? 0 : 1 + random.below(words - 1));
  many.push_back(1);
  check("gradient, many rows of many words", exercise::random({rows, words}, 97), many, 0.2f, 0);
}

TEST_CASE("a batch of nothing but padding has the gradient 0") {
  COMPARE_GRADIENT("gradient, all padding", Tensor::zeros({2, 3}),
                   own(exercise::random({2, 3}, 155), {1, 1}, 0.1f, 1));
}

TEST_CASE("large logits stay finite") {
  const Tensor logits = exercise::random({2, 7}, 156, 400);
  check("gradient, logits of several hundred", logits, {5, 3}, 0.1f, 0);
  check("gradient, logits of several hundred, no smoothing", logits, {5, 3}, 0, 0);
  check("gradient, logits of several hundred, no smoothing, 1 of 2 rows padding", logits, {5, 0}, 0,
        0);
}
