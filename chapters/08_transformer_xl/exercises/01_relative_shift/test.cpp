#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

// Only the keys j <= M + i are compared: what the shift leaves beyond is free.
static Tensor visible(const Tensor& by_key) {
  Tensor kept = Tensor::zeros(by_key.shape());
  const int queries = by_key.size(0), keys = by_key.size(1);
  for (int i = 0; i < queries; ++i)
    for (int j = i * keys; j <= i * keys + keys - queries + i; ++j)
      copy_into(kept, {by_key.values()[j]}, j);
  return kept;
}

// T queries, S keys; with XF_SALT others, and S >= T.
static Shape sizes(int queries, int keys) {
  const int t = exercise::given(queries, queries, queries + 12), memory = keys - queries;
  return {t, t + exercise::given(memory, memory, memory + 9)};
}

static void check(const std::string& name, int usual_queries, int usual_keys) {
  const Tensor x = exercise::random(sizes(usual_queries, usual_keys), 111);
  COMPARE(name, visible(relative_shift(x)), visible(from_xt(exercise::shift_to_keys(to_xt<2>(x)))));
}

TEST_CASE("row i moves to the left by T - 1 - i") {
  check("shift_to_keys(x), T = 3, M = 2, as far as j <= M + i", 3, 5);
}

TEST_CASE("it works without a memory, and for a single query") {
  check("shift_to_keys(x), T = S = 4, as far as j <= i", 4, 4);
  check("shift_to_keys(x), T = 1, S = 3", 1, 3);
}

static void check_weights(const std::string& name, const Tensor& x) {
  const int queries = x.size(0), keys = x.size(1);
  Ids may = Ids::full({1, queries, keys}, 0);
  for (int i = 0; i < queries; ++i) std::fill_n(may.begin() + i * keys, keys - queries + i + 1, 1);
  const auto shifted = [&] { return reshape(relative_shift(x), {1, 1, queries, keys}); };
  COMPARE(name, reshape(softmax(shifted(), {.mask = {may}}), {queries, keys}),
          exercise::weights_over_keys(to_xt<2>(x)));
}

TEST_CASE("the weights are shared by the visible keys only") {
  check_weights("weights_over_keys(x), T = 4, M = 2", exercise::random(sizes(4, 6), 112, 2.0f));
  check_weights("weights_over_keys(x), T = S = 3", exercise::random(sizes(3, 3), 113, 2.0f));
  check_weights("weights_over_keys(x), T = 1, M = 2",
                exercise::random({1, 1 + exercise::given(2, 0, 9)}, 116, 2.0f));
}

TEST_CASE("a visible key may have any score: 0, or several hundred") {
  Tensor x = exercise::random(sizes(3, 5), 114);
  const int keys = x.size(1);
  for (int visible : {keys - 2, 2 * keys - 1, 2 * keys + 1})  // x(0, S - 2), x(1, S - 1), x(2, 1)
    copy_into(x, {0}, visible);
  check_weights("weights_over_keys(x), some scores 0", x);
  const Tensor low = exercise::given({2, 3}, {-300, -310, -305, -290, -301, -299});
  check_weights("weights_over_keys(x), scores of about -300", low);
  check_weights("weights_over_keys(x), large scores", exercise::random(sizes(4, 5), 115, 300.0f));
  const int t = exercise::given(4);
  check_weights("weights_over_keys(x), large scores, T = S = 4",
                exercise::random({t, t}, 117, 300.0f));
}
