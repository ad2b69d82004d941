#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

// The engine's softmax takes the mask as (1, T, S) and the scores as (1, 1, T, S).
static void check(const std::string& name, const Tensor& scores, const Ids& may) {
  const int t = scores.size(0), s = scores.size(1);
  const auto wanted = [&] { return softmax(reshape(scores, {1, 1, t, s}), {.mask = {may}}); };
  const Tensor ones = Tensor::from({t, s}, std::vector<float>(may.begin(), may.end()));
  COMPARE(name, reshape(wanted(), {t, s}),
          exercise::masked_softmax(to_xt<2>(scores), to_xt<2>(ones)));
}

TEST_CASE("forbidden keys get no weight, the others share 1") {
  check("weights", exercise::random({3, 4}, 23),
        exercise::shuffled({{1, 3, 4}, {1, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1}}));
  check("weights of equal scores", exercise::given({2, 4}, {3, 3, 3, 3, 5, -1, 5, 5}),
        exercise::shuffled({{1, 2, 4}, {1, 1, 0, 1, 1, 1, 1, 1}}));
  const int queries = exercise::given(6, 6, 16), keys = exercise::given(20, 20, 50);
  Ids may = Ids::full({1, queries, keys}, 1);
  for (int i = 0; i < may.count(); i += 3) may[i] = 0;
  check("weights of 20 keys", exercise::random({queries, keys}, 26), exercise::shuffled(may));
}

TEST_CASE("a forbidden score may be anything") {
  Tensor scores = exercise::random({2, 3}, 24);
  const Ids may = exercise::shuffled({{1, 2, 3}, {1, 0, 1, 1, 1, 0}});
  for (int i = 0; i < 6; ++i)
    if (may[i] == 0) copy_into(scores, {i < 3 ? 60 : std::nanf("")}, i);
  check("weights beside 60 and NaN", scores, may);
}

TEST_CASE("large and small scores neither overflow nor vanish") {
  check("weights of -200 and -210", exercise::given({1, 3}, {-200, -1, -210}),
        exercise::shuffled({{1, 1, 3}, {1, 0, 1}}));
  check("weights of 500", exercise::given({1, 3}, {500, 499, 600}),
        exercise::shuffled({{1, 1, 3}, {1, 1, 0}}));
  check("weights of -300 and 400", exercise::given({1, 3}, {-300, 9, 400}),
        exercise::shuffled({{1, 1, 3}, {1, 0, 1}}));
}

TEST_CASE("a row that may look at nothing gives zeros") {
  check("weights of an empty row", exercise::random({2, 3}, 25),
        exercise::shuffled({{1, 2, 3}, {1, 1, 0, 0, 0, 0}}));
}
