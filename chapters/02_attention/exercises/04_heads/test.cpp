#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::given;

// The engine's ops have a batch, here of one sentence.
static Tensor batched(const Tensor& x) { return reshape(x, {1, x.size(0), x.size(1)}); }

static Tensor own_split(const Tensor& x, int heads) {
  return from_xt(exercise::split(to_xt<2>(x), heads));
}

static Tensor own_multi_head(const Tensor& q, const Tensor& k, const Tensor& v, int heads) {
  return from_xt(exercise::multi_head(to_xt<2>(q), to_xt<2>(k), to_xt<2>(v), heads));
}

TEST_CASE("split: a head gets its own columns of every word") {
  COMPARE("split(2 words of 4 numbers, H = 2)", given({2, 2, 2}, {1, 2, 5, 6, 3, 4, 7, 8}),
          own_split(given({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), 2));
  const int words = given(5, 5, 20), heads = given(3), d_k = given(2, 2, 9);
  const Tensor x = exercise::random({words, heads * d_k}, 31);
  COMPARE("split(x), H = 3", reshape(split_heads(batched(x), heads), {heads, words, d_k}),
          own_split(x, heads));
  COMPARE("split(x), H = 1", reshape(x, {1, words, heads * d_k}), own_split(x, 1));
}

TEST_CASE("merge: the heads are side by side again") {
  const auto merged = [](const Tensor& y) { return from_xt(exercise::merge(to_xt<3>(y))); };
  COMPARE("merge(2 heads of 2 numbers)", given({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}),
          merged(given({2, 2, 2}, {1, 2, 5, 6, 3, 4, 7, 8})));
  const int words = given(5, 5, 20), heads = given(3), d_k = given(2, 2, 9);
  const Tensor y = exercise::random({heads, words, d_k}, 32);
  COMPARE("merge(y), H = 3",
          reshape(merge_heads(reshape(y, {1, heads, words, d_k})), {words, heads * d_k}),
          merged(y));
}

static void check_multi_head(int usual_heads) {
  const bool one = usual_heads == 1;  // and one query
  const int heads = one ? 1 : given(usual_heads), d_k = given(12 / usual_heads, 2, 9),
            d = heads * d_k;
  const int words = one ? 1 : given(3, 3, 20), keys = given(5, 5, 20);
  const Tensor q = exercise::random({words, d}, 33), k = exercise::random({keys, d}, 34);
  const Tensor v = exercise::random({keys, d}, 35);
  const auto wanted = [&] {
    const Tensor scores =
        matmul(split_heads(batched(q), heads), split_heads(batched(k), heads), Transpose::yes);
    const float scale = 1 / std::sqrt(static_cast<float>(d_k));
    return matmul(softmax(scores, {.scale = scale}), split_heads(batched(v), heads));
  };
  COMPARE("multi_head(q, k, v), H = " + std::to_string(usual_heads),
          reshape(merge_heads(wanted()), {words, d}), own_multi_head(q, k, v, heads));
}

TEST_CASE("multi_head: every head attends in its own columns") {
  check_multi_head(1);
  check_multi_head(2);
  check_multi_head(3);
}

TEST_CASE("multi_head: two heads look at two positions") {
  // Head 0 asks for the number of its own position, head 1 for that of the one before.
  const int words = given(4), d = 2 * words;
  const float asked = 20 * std::sqrt(static_cast<float>(words));  // 20 behind the scale
  Tensor q = Tensor::zeros({words, d}), k = Tensor::zeros({words, d});
  std::vector<int> before;
  for (int t = 0; t < words; ++t) {
    before.push_back(std::max(t - 1, 0));
    copy_into(q, {asked}, t * d + t);
    copy_into(q, {asked}, t * d + words + before.back());
    copy_into(k, {1}, t * d + t);
    copy_into(k, {1}, t * d + words + t);
  }
  const Tensor v = exercise::random({words, d}, 36);
  const auto wanted = [&] {
    return concat(slice(v, 1, 0, words), gather_rows(slice(v, 1, words, words), before), 1);
  };
  COMPARE("multi_head: v of this word beside v of the word before", wanted(),
          own_multi_head(q, k, v, 2));
}
