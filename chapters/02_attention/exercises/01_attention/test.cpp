#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using namespace xf::exercise;

TEST_CASE("softmax: each row sums to 1 over the keys") {
  const Tensor scores = exercise::random({given(3, 3, 20), given(5, 20, 50)}, 11);
  COMPARE("softmax_rows(scores)", softmax(scores), softmax_rows(to_xt<2>(scores)));
}

TEST_CASE("softmax: large scores do not overflow, and very negative ones do not vanish") {
  const Tensor scores = exercise::random({given(2), given(4, 4, 30)}, 12, 500.0f);
  COMPARE("softmax_rows(500 * scores)", softmax(scores), softmax_rows(to_xt<2>(scores)));
  const Tensor below = exercise::given({1, 3}, {-1000, -1001, -1003});
  COMPARE("softmax_rows(-1000 -1001 -1003)", softmax(below), softmax_rows(to_xt<2>(below)));
  const Tensor apart = exercise::given({2, 3}, {-700, 800, 799, 1, -900, 2});
  COMPARE("softmax_rows(-700 800 799, 1 -900 2)", softmax(apart), softmax_rows(to_xt<2>(apart)));
}

TEST_CASE("softmax: equal scores have equal shares") {
  const Tensor equal = exercise::given({3, 4}, {3, 1, 3, 3, 0, 0, 0, 0, -2, 5, 5, -2});
  COMPARE("softmax_rows(3 1 3 3, 0 0 0 0, -2 5 5 -2)", softmax(equal),
          softmax_rows(to_xt<2>(equal)));
}

// T queries, S keys; d_v is d_k only where both are usually the same.
static void check_attention(const std::string& name, int usual_t, int usual_s, int usual_d_k,
                            int usual_d_v, float deviation) {
  const int more = deviation > 1 ? 4 : 20;  // large scores are rounded, the more the wider they are
  const auto drawn = [=](int size) { return size == 1 ? 1 : given(size, size, size + more); };
  const int t = drawn(usual_t), s = drawn(usual_s), d_k = drawn(usual_d_k);
  const int width = given(usual_d_v, 1, 2 + more), other = width == d_k ? width + 1 : width;
  const int d_v = usual_d_v == usual_d_k ? d_k : other;
  const Tensor q = exercise::random({t, d_k}, 13, deviation), k = exercise::random({s, d_k}, 14);
  const Tensor v = exercise::random({s, d_v}, 15);
  const float scale = 1 / std::sqrt(static_cast<float>(d_k));
  const auto weights = [&] { return softmax(matmul(q, k, Transpose::yes), {.scale = scale}); };
  COMPARE(name, matmul(weights(), v), attention(to_xt<2>(q), to_xt<2>(k), to_xt<2>(v)));
}

TEST_CASE("attention: the average of the values, weighted by the scaled scores") {
  check_attention("attention(q, k, v)", 3, 5, 4, 2, 1);
  check_attention("attention(q, k, v), Dk = 7", 4, 3, 7, 3, 1);
  check_attention("attention(q, k, v), Dk = Dv = 4", 3, 5, 4, 4, 1);
  check_attention("attention(q, k, v), a single query", 1, 5, 4, 2, 1);
  check_attention("attention(q, k, v), a single key", 3, 1, 4, 2, 1);
}

TEST_CASE("attention: where all scores are 0, the mean of the values") {
  check_attention("attention(0, k, v)", 3, 5, 4, 2, 0);
}

TEST_CASE("attention: large scores do not overflow") {
  check_attention("attention(300 q, k, v)", 2, 4, 3, 5, 300);
}
