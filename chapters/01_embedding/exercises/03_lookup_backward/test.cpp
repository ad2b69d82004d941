#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

// d sum(w * E(ids)) / dweight, by the engine's ops and by the exercise's; `table` is (V, D).
static void check(const std::string& name, const Ids& usual, const Shape& usual_table) {
  const Shape table = {exercise::given(usual_table[0], usual_table[0], usual_table[0] + 40),
                       usual_table[1] == 1
                           ? 1
                           : exercise::given(usual_table[1], usual_table[1], usual_table[1] + 20)};
  const Ids ids = exercise::given(usual, table[0]);
  const Tensor weight = parameter(exercise::random(table, 3));
  const Tensor weights = exercise::random({ids.size(0), ids.size(1), table[1]}, 4);
  const auto gradient = [&](const auto& embed) {
    Tape tape;
    return tape.backward(weighted_sum(embed(), weights)).of(weight);
  };
  const auto wanted = [&] {
    return embedding(ids, weight) * std::sqrt(static_cast<float>(table[1]));
  };
  COMPARE_GRADIENT(name, gradient(wanted),
                   gradient([&] { return exercise::my_embed(ids, weight); }));
}

TEST_CASE("each row that was used gets its gradient, the others get 0") {
  check("dweight", {{1, 4}, {6, 2, 0, 3}}, {7, 5});
}

TEST_CASE("a word that is used three times gets three gradients") {
  check("dweight, ids 5 2 5 5", {{1, 4}, {5, 2, 5, 5}}, {9, 3});
  check("dweight, ids 5 2 5, D = 1", {{1, 3}, {5, 2, 5}}, {6, 1});
}

TEST_CASE("the sentences of a batch share the table") {
  check("dweight of 3 sentences", {{3, 2}, {4, 1, 6, 1, 4, 0}}, {8, 5});
  Ids many = Ids::full({exercise::given(4, 5, 12), exercise::given(9, 10, 30)}, 0);
  for (int i = 0; i < many.count(); ++i) many[i] = 5 * i % 11;
  check("dweight of 4 sentences of 9 words", many, {11, 3});
  check("dweight of 4 sentences of 9 words, D = 1", many, {11, 1});
}
