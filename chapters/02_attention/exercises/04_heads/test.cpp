#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

// The engine's ops have a batch, here of one sentence.
static Tensor batched(const Tensor& x) { return reshape(x, {1, x.size(0), x.size(1)}); }

static Tensor own_split(const Tensor& x, int heads) {
  return from_xt(exercise::split(to_xt<2>(x), heads));
}

static Tensor own_multi_head(const Tensor& q, const Tensor& k, const Tensor& v, int heads) {
  return from_xt(exercise::multi_head(to_xt<2>(q), to_xt<2>(k), to_xt<2>(v), heads));
}

TEST_CASE("split: a head gets its own columns of every word") {
  COMPARE("split(2 words of 4 numbers, H = 2)",
          exercise::given({2, 2, 2}, {1, 2, 5, 6, 3, 4, 7, 8}),
          own_split(exercise::given({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), 2));
  const Tensor x = exercise::random({5, 6}, 31);
  COMPARE("split(x), H = 3", reshape(split_heads(batched(x), 3), {3, 5, 2}), own_split(x, 3));
  COMPARE("split(x), H = 1", reshape(x, {1, 5, 6}), own_split(x, 1));
}

TEST_CASE("merge: the heads stand side by side again") {
  const auto merged = [](const Tensor& y) { return from_xt(exercise::merge(to_xt<3>(y))); };
  COMPARE("merge(2 heads of 2 numbers)", exercise::given({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}),
          merged(exercise::given({2, 2, 2}, {1, 2, 5, 6, 3, 4, 7, 8})));
  const Tensor y = exercise::random({3, 5, 2}, 32);
  COMPARE("merge(y), H = 3", reshape(merge_heads(reshape(y, {1, 3, 5, 2})), {5, 6}), merged(y));
}

static void check_multi_head(int heads) {
  const Tensor q = exercise::random({3, 12}, 33), k = exercise::random({5, 12}, 34);
  const Tensor v = exercise::random({5, 12}, 35);
  const auto wanted = [&] {
    const Tensor scores =
        matmul(split_heads(batched(q), heads), split_heads(batched(k), heads), Transpose::yes);
    const float scale = 1 / std::sqrt(12 / static_cast<float>(heads));
    return matmul(softmax(scores, {.scale = scale}), split_heads(batched(v), heads));
  };
  COMPARE("multi_head(q, k, v), H = " + std::to_string(heads),
          reshape(merge_heads(wanted()), {3, 12}), own_multi_head(q, k, v, heads));
}

TEST_CASE("multi_head: every head attends in its own columns") {
  check_multi_head(2);
  check_multi_head(3);
}

TEST_CASE("multi_head: two heads look at two places") {
  // Head 0 asks for the number of its own place, head 1 for that of the place before.
  Tensor q = Tensor::zeros({4, 8}), k = Tensor::zeros({4, 8});
  for (int t = 0; t < 4; ++t) {
    copy_into(q, {40}, t * 8 + t);
    copy_into(q, {40}, t * 8 + 4 + std::max(t - 1, 0));
    copy_into(k, {1}, t * 8 + t);
    copy_into(k, {1}, t * 8 + 4 + t);
  }
  const Tensor v = exercise::random({4, 8}, 36);
  const auto wanted = [&] {
    return concat(slice(v, 1, 0, 4), gather_rows(slice(v, 1, 4, 4), {0, 0, 1, 2}), 1);
  };
  COMPARE("multi_head: v of this word beside v of the word before", wanted(),
          own_multi_head(q, k, v, 2));
}
