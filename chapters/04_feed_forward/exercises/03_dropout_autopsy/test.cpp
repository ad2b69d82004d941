#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

static void check(const std::string& name, float usual_p, bool usual, const Ids& usual_keep) {
  const float p = exercise::given(usual_p, 0.1f, 0.85f);
  const bool training = exercise::either(usual);
  const Ids kept = exercise::shuffled(usual_keep);
  const Tensor keep = Tensor::from(kept.shape(), std::vector<float>(kept.begin(), kept.end()));
  const Tensor x = exercise::random(keep.shape(), 71);
  const auto wanted = [&] { return training ? x * keep * (1 / (1 - p)) : x; };
  COMPARE(name, wanted(), exercise::dropout(to_xt<2>(x), to_xt<2>(keep), p, training));
}

TEST_CASE("in training what stays is made larger, so that the mean is kept") {
  check("y, p = 0.25", 0.25f, true, {{2, 4}, {1, 0, 1, 1, 1, 1, 1, 0}});
}

TEST_CASE("the rarer a number stays, the larger it is made") {
  check("y, p = 0.8", 0.8f, true, {{3, 2}, {0, 1, 0, 0, 0, 0}});
}

TEST_CASE("in use nothing is dropped and nothing is scaled") {
  check("y, not training", 0.4f, false, {{2, 3}, {1, 0, 1, 1, 1, 0}});
}
