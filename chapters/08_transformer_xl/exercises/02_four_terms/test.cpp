#include "08_transformer_xl/relative_attention.hpp"
#include "08_transformer_xl/relative_position.hpp"
#include "exercise.hpp"

using namespace xf;

// B = 3, T = 4, M = 2, S = 6, H = 2, D = 10.
struct Example {
  Random random{121};
  GlobalBiases bias{10, 2, random};
  Tensor q = exercise::random({3, 4, 10}, 122), k = exercise::random({3, 2, 6, 5}, 123);
  Tensor w_r = exercise::random({10, 10}, 124, 0.3f);
  Tensor u = parameter(exercise::random({10}, 125)), v = parameter(exercise::random({10}, 126));
  Tensor r;                                      // (B, H, S, Dk)
  Tensor visible = Tensor::zeros({3, 2, 4, 6});  // 1 for j <= M + i

  Example() {
    bias.u = reshape(u, {2, 5});
    bias.v = reshape(v, {2, 5});
    const Tensor one =
        split_heads(reshape(linear(relative_positions(6, 10), w_r, {}), {1, 6, 10}), 2);
    r = gather_rows(one, {0, 0, 0});
    for (int row = 0; row < 3 * 2 * 4; ++row)
      std::fill_n(visible.data() + row * 6, 2 + row % 4 + 1, 1.0f);
  }
  Tensor own() const { return exercise::relative_scores(q, k, r, u, v); }
};

TEST_CASE("the scores are the four terms, pair by pair of query and key") {
  const Example e;
  const Tensor wanted =
      relative_scores_by_definition(split_heads(e.q, 2), e.k, e.w_r, e.bias).sum();
  exercise::compare("relative_scores, 0 for j > M + i", wanted, e.own() * e.visible);
}

TEST_CASE("u learns from the keys, v from the distances") {
  const Example e;
  const Tensor weights = exercise::random({3, 2, 4, 6}, 127) * e.visible;
  // d/du of (q + u) . k: the sum of the keys, each as often as it is looked at; v the same with r.
  const auto wanted = [&](const Tensor& rows, bool by_distance) {
    Tensor sum = Tensor::zeros({10});
    for (int n = 0; n < 3 * 2; ++n)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j <= 2 + i; ++j) {
          const float* row = rows.data() + (n * 6 + (by_distance ? j + 3 - i : j)) * 5;
          for (int d = 0; d < 5; ++d)
            sum.data()[n % 2 * 5 + d] += weights.data()[(n * 4 + i) * 6 + j] * row[d];
        }
    return sum;
  };
  Tape tape;
  const Gradients gradients = tape.backward(weighted_sum(e.own(), weights));
  exercise::compare("du", wanted(e.k, false), gradients.of(e.u));
  exercise::compare("dv", wanted(e.r, true), gradients.of(e.v));
}
