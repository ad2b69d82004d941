#include "exercise.hpp"

using namespace xf;

// d sum(w * E(ids)) / dweight, by the engine's ops and by the exercise's; V = 7, D = 5.
static void check(const std::string& name, const Ids& ids) {
  const Tensor weight = parameter(exercise::random({7, 5}, 3));
  const Tensor weights = exercise::random({ids.size(0), ids.size(1), 5}, 4);
  Tape engine;
  const Tensor y = embedding(ids, weight) * std::sqrt(5.0f);
  const Tensor wanted = engine.backward(weighted_sum(y, weights)).of(weight);
  Tape own;
  exercise::compare(
      name, wanted,
      own.backward(weighted_sum(exercise::my_embed(ids, weight), weights)).of(weight));
}

TEST_CASE("each row that was named gets its gradient, the others get 0") {
  check("dweight", {{1, 4}, {6, 2, 0, 3}});
}

TEST_CASE("a word that is used three times gets three gradients") {
  check("dweight, ids 5 2 5 5", {{1, 4}, {5, 2, 5, 5}});
}

TEST_CASE("the sentences of a batch share the table") {
  check("dweight of 2 sentences", {{2, 3}, {4, 1, 6, 1, 4, 0}});
}
