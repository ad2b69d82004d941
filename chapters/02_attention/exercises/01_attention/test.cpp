#include "exercise.hpp"

using namespace xf;
using namespace xf::exercise;

TEST_CASE("softmax: each row sums to 1 over the keys") {
  const Tensor scores = exercise::random({3, 5}, 11);
  compare("softmax_rows(scores)", softmax(scores), softmax_rows(to_xt<2>(scores)));
}

TEST_CASE("softmax: large scores do not overflow, and very negative ones do not vanish") {
  const Tensor scores = exercise::random({2, 4}, 12, 500.0f);
  compare("softmax_rows(500 * scores)", softmax(scores), softmax_rows(to_xt<2>(scores)));
  const Tensor below = Tensor::from({1, 3}, {-1000, -1001, -1003});
  compare("softmax_rows(-1000 -1001 -1003)", softmax(below), softmax_rows(to_xt<2>(below)));
}

TEST_CASE("attention: the average of the values, weighted by the scaled scores") {
  const Tensor q = exercise::random({3, 4}, 13), k = exercise::random({5, 4}, 14);
  const Tensor v = exercise::random({5, 2}, 15);
  const Tensor weights = softmax(matmul(q, k, Transpose::yes), {.scale = 0.5f});
  compare("attention(q, k, v)", matmul(weights, v),
          attention(to_xt<2>(q), to_xt<2>(k), to_xt<2>(v)));
}
