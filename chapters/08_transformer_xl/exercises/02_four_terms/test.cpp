#include "support/test.hpp"
#include "08_transformer_xl/equations.hpp"
#include "08_transformer_xl/relative_attention.hpp"
#include "08_transformer_xl/relative_position.hpp"
#include "exercise.hpp"

using namespace xf;

// B = 3, T = 4, M = 2, S = 6, D = 10, Dk = 10 / H.
namespace {

struct Example {
  int heads = 2;
  int d_k = 10 / heads;
  Random random{121};
  GlobalBiases bias{10, heads, random};
  Tensor q = exercise::random({3, 4, 10}, 122), k = exercise::random({3, heads, 6, d_k}, 123);
  Tensor w_r = exercise::random({10, 10}, 124, 0.3f);
  Tensor u = parameter(exercise::random({10}, 125)), v = parameter(exercise::random({10}, 126));
  Tensor r;                                          // (B, H, S, Dk)
  Tensor visible = Tensor::zeros({3, heads, 4, 6});  // 1 for j <= M + i

  explicit Example(int number_of_heads) : heads(number_of_heads) {
    bias.u = reshape(u, {heads, d_k});
    bias.v = reshape(v, {heads, d_k});
    const Tensor one =
        split_heads(reshape(linear(relative_positions(6, 10), w_r, {}), {1, 6, 10}), heads);
    r = gather_rows(one, {0, 0, 0});
    for (int row = 0; row < 3 * heads * 4; ++row)
      copy_into(visible, std::vector<float>(2 + row % 4 + 1, 1.0f), row * 6);
  }
  RelativeTerms by_definition() const {
    return relative_scores_by_definition(split_heads(q, heads), k, w_r, bias);
  }
  Tensor own() const { return exercise::relative_scores(q, k, r, u, v); }
  exercise::ScoreTerms own_terms() const { return exercise::score_terms(q, k, r, u, v); }
};

}  // namespace

static void check(const std::string& name, int heads) {
  const Example e(heads);
  const auto wanted = [&] { return e.by_definition().sum(); };
  COMPARE(name, wanted(), e.own() * e.visible);
}

TEST_CASE("the scores are the four terms, pair by pair of query and key") {
  check("relative_scores, 0 for j > M + i", 2);
  check("relative_scores, H = 5", 5);
}

TEST_CASE("u learns from the keys, v from the distances") {
  const Example e(2);
  const Tensor weights = exercise::random({3, 2, 4, 6}, 127) * e.visible;
  // d/du of (q + u) . k: the sum of the keys, each as often as it is looked at; v the same with r.
  const auto wanted = [&](const Tensor& rows, bool by_distance) {
    std::vector<float> sum(10, 0.0f);
    for (int n = 0; n < 3 * 2; ++n)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j <= 2 + i; ++j) {
          const float* row = rows.values().begin() + (n * 6 + (by_distance ? j + 3 - i : j)) * 5;
          for (int d = 0; d < 5; ++d)
            sum[n % 2 * 5 + d] += weights.values()[(n * 4 + i) * 6 + j] * row[d];
        }
    return Tensor::from({10}, sum);
  };
  const auto own = [&] {
    Tape tape;
    return tape.backward(weighted_sum(e.own(), weights));
  };
  COMPARE_GRADIENT("du", wanted(e.k, false), own().of(e.u));
  COMPARE_GRADIENT("dv", wanted(e.r, true), own().of(e.v));
}

static void check_terms(const std::string& heads, int number) {
  const Example e(number);
  COMPARE("content, " + heads, e.by_definition().a, e.own_terms().content * e.visible);
  COMPARE("distance, " + heads, e.by_definition().b, e.own_terms().distance * e.visible);
  COMPARE("key, " + heads, e.by_definition().c, e.own_terms().key * e.visible);
  COMPARE("position, " + heads, e.by_definition().d, e.own_terms().position * e.visible);
}

TEST_CASE("each term alone, by key") {
  check_terms("H = 2", 2);
  check_terms("H = 5", 5);
}
