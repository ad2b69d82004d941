#include "exercise.hpp"

using namespace xf;

// d sum(w * E(ids)) / dweight, by the engine's ops and by the exercise's; `table` is (V, D).
static void check(const std::string& name, const Ids& ids, const Shape& table) {
  const Tensor weight = parameter(exercise::random(table, 3));
  const Tensor weights = exercise::random({ids.size(0), ids.size(1), table[1]}, 4);
  Tape engine;
  const Tensor y = embedding(ids, weight) * std::sqrt(static_cast<float>(table[1]));
  const Tensor wanted = engine.backward(weighted_sum(y, weights)).of(weight);
  Tape own;
  exercise::compare_gradient(
      name, wanted,
      own.backward(weighted_sum(exercise::my_embed(ids, weight), weights)).of(weight));
}

TEST_CASE("each row that was named gets its gradient, the others get 0") {
  check("dweight", {{1, 4}, {6, 2, 0, 3}}, {7, 5});
}

TEST_CASE("a word that is used three times gets three gradients") {
  check("dweight, ids 5 2 5 5", {{1, 4}, {5, 2, 5, 5}}, {9, 3});
}

TEST_CASE("the sentences of a batch share the table") {
  check("dweight of 3 sentences", {{3, 2}, {4, 1, 6, 1, 4, 0}}, {8, 5});
}
