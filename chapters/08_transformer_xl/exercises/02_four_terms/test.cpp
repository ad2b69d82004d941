#include "support/test.hpp"
#include "08_transformer_xl/equations.hpp"
#include "08_transformer_xl/relative_attention.hpp"
#include "08_transformer_xl/relative_position.hpp"
#include "exercise.hpp"

using namespace xf;

// B = 3, T = 4, M = 2, S = 6, D = 10, Dk = 10 / H; with XF_SALT, others. Where one is `alone`, it
// is a single query in a batch of one.
namespace {

struct Example {
  bool alone;
  int heads, d_k, d;  // d = H Dk, the D of the model
  // H and T may become large; all of B, H, T and S would be more numbers than a test may send.
  int batch = alone ? 1 : exercise::within(3, 2, 5);
  int t = alone ? 1 : exercise::given(4, 3, 9);
  int m = exercise::within(2, 0, 6), s = m + t;
  Random random{121};
  GlobalBiases bias{d, heads, random};
  Tensor q = parameter(exercise::random({batch, t, d}, 122)),
         k = parameter(exercise::random({batch, heads, s, d_k}, 123));
  Tensor w_r = exercise::random({d, d}, 124, 0.3f);
  Tensor u = parameter(exercise::random({d}, 125)), v = parameter(exercise::random({d}, 126));
  Tensor r;                                              // (B, H, S, Dk)
  Tensor visible = Tensor::zeros({batch, heads, t, s});  // 1 for j <= M + i

  explicit Example(int number_of_heads, bool a_single_query = false)
      : alone(a_single_query),
        heads(number_of_heads == 1
                  ? 1
                  : exercise::given(number_of_heads, number_of_heads, number_of_heads + 2)),
        d_k(exercise::salted(0) == 0 ? 10 / heads : 2 * exercise::within(2, 1, 4)),
        d(heads * d_k) {
    bias.u = reshape(u, {heads, d_k});
    bias.v = reshape(v, {heads, d_k});
    const Tensor one =
        split_heads(reshape(linear(relative_positions(s, d), w_r, {}), {1, s, d}), heads);
    r = parameter(gather_rows(one, std::vector<int>(std::size_t(batch), 0)));
    for (int row = 0; row < batch * heads * t; ++row)
      copy_into(visible, std::vector<float>(std::size_t(m + row % t + 1), 1.0f), row * s);
  }
  RelativeTerms by_definition() const {
    return relative_scores_by_definition(split_heads(q, heads), k, w_r, bias);
  }
  Tensor own() const { return exercise::relative_scores(q, k, r, u, v); }
  exercise::ScoreTerms own_terms() const { return exercise::score_terms(q, k, r, u, v); }
};

}  // namespace

static void check(const std::string& name, int heads, bool alone = false) {
  const Example e(heads, alone);
  const auto wanted = [&] { return e.by_definition().sum(); };
  COMPARE(name, wanted(), e.own() * e.visible);
}

TEST_CASE("each score is the sum of the four terms, for every query and key") {
  check("relative_scores, 0 for j > M + i", 2);
  check("relative_scores, H = 5", 5);
  check("relative_scores, H = 1", 1);
  check("relative_scores, B = H = T = 1", 1, true);
}

TEST_CASE("u learns from the keys, v from the distances") {
  const Example e(2);
  const Tensor weights = exercise::random(e.visible.shape(), 127) * e.visible;
  // d/du of (q + u) . k: the sum of the keys, each as often as it is looked at; v the same with r.
  const auto wanted = [&](const Tensor& rows, bool by_distance) {
    std::vector<float> sum(std::size_t(e.d), 0.0f);
    for (int n = 0; n < e.batch * e.heads; ++n)
      for (int i = 0; i < e.t; ++i)
        for (int j = 0; j <= e.m + i; ++j) {
          const int key = n * e.s + (by_distance ? j + e.t - 1 - i : j);
          const float* row = rows.values().begin() + key * e.d_k;
          for (int d = 0; d < e.d_k; ++d)
            sum[std::size_t(n % e.heads * e.d_k + d)] +=
                weights.values()[(n * e.t + i) * e.s + j] * row[d];
        }
    return Tensor::from({e.d}, sum);
  };
  const auto own = [&] {
    Tape tape;
    return tape.backward(weighted_sum(e.own(), weights));
  };
  COMPARE_GRADIENT("du", wanted(e.k, false), own().of(e.u));
  COMPARE_GRADIENT("dv", wanted(e.r, true), own().of(e.v));
  // 0: dq, 1: dk, 2: dr, pair by pair of query and key.
  const auto of_inputs = [&](int which) {
    const Tensor& of = which == 0 ? e.q : which == 1 ? e.k : e.r;
    std::vector<float> sum(std::size_t(of.count()), 0.0f);
    for (int n = 0; n < e.batch * e.heads; ++n)
      for (int i = 0; i < e.t; ++i)
        for (int j = 0; j <= e.m + i; ++j)
          for (int c = 0; c < e.d_k; ++c) {
            const int column = n % e.heads * e.d_k + c;
            const int query = (n / e.heads * e.t + i) * e.d + column;
            const int key = (n * e.s + j) * e.d_k + c;
            const int distance = (n * e.s + j + e.t - 1 - i) * e.d_k + c;
            const float weight = weights.values()[(n * e.t + i) * e.s + j];
            const float q = e.q.values()[query];
            if (which == 0)
              sum[std::size_t(query)] += weight * (e.k.values()[key] + e.r.values()[distance]);
            if (which == 1) sum[std::size_t(key)] += weight * (q + e.u.values()[column]);
            if (which == 2) sum[std::size_t(distance)] += weight * (q + e.v.values()[column]);
          }
    return Tensor::from(of.shape(), sum);
  };
  COMPARE_GRADIENT("dq", of_inputs(0), own().of(e.q));
  COMPARE_GRADIENT("dk", of_inputs(1), own().of(e.k));
  COMPARE_GRADIENT("dr", of_inputs(2), own().of(e.r));
}

static void check_terms(const std::string& heads, int number) {
  const Example e(number);
  COMPARE("content, " + heads, e.by_definition().a, e.own_terms().content * e.visible);
  COMPARE("distance, " + heads, e.by_definition().b, e.own_terms().distance * e.visible);
  COMPARE("key, " + heads, e.by_definition().c, e.own_terms().key * e.visible);
  COMPARE("position, " + heads, e.by_definition().d, e.own_terms().position * e.visible);
}

TEST_CASE("each term alone, by key") {
  check_terms("H = 1", 1);
  check_terms("H = 2", 2);
  check_terms("H = 5", 5);
}
