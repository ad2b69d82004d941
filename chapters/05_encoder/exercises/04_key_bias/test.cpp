#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;
using exercise::Weights;

namespace {

struct Case {
  Tensor q, k, v, b_q, b_k, dy;
};

Case drawn(int t, int s, int d_k, int d_v, std::uint64_t seed) {
  return {exercise::random({t, d_k}, seed),     exercise::random({s, d_k}, seed + 1),
          exercise::random({s, d_v}, seed + 2), exercise::random({d_k}, seed + 3),
          exercise::random({d_k}, seed + 4, 2), exercise::random({t, d_v}, seed + 5)};
}

Tensor weights(const Tensor& z, Weights kind) {
  return kind == Weights::softmax ? softmax(z) : sigmoid(z);
}

// By the tape.
exercise::BiasGradients wanted(const Case& of, Weights kind) {
  const Tensor b_q = parameter(of.b_q.clone()), b_k = parameter(of.b_k.clone());
  const float scale = 1 / std::sqrt(static_cast<float>(of.q.size(1)));
  Tape tape;
  const Tensor z = scale * matmul(of.q + b_q, of.k + b_k, Transpose::yes);
  const Tensor y = matmul(weights(z, kind), of.v);
  const Gradients gradients = tape.backward(weighted_sum(y, of.dy));
  return {to_xt<1>(gradients.of(b_q)), to_xt<1>(gradients.of(b_k))};
}

exercise::BiasGradients own(const Case& of, Weights kind) {
  return exercise::bias_gradients(
      {to_xt<2>(of.q), to_xt<2>(of.k), to_xt<2>(of.v), to_xt<1>(of.b_q), to_xt<1>(of.b_k)},
      to_xt<2>(of.dy), kind);
}

void check(const std::string& name, const Case& of, Weights kind) {
  COMPARE_GRADIENT("db_q, " + name, from_xt(wanted(of, kind).b_q), from_xt(own(of, kind).b_q));
  // Of a softmax it is exactly 0: what the tape has instead is rounding.
  const auto of_keys = [&] {
    return kind == Weights::softmax ? Tensor::zeros(of.b_k.shape()) : from_xt(wanted(of, kind).b_k);
  };
  COMPARE_GRADIENT("db_k, " + name, of_keys(), from_xt(own(of, kind).b_k));
}

// The four answers as one number, which does not say what they are.
Tensor sealed(const exercise::Written& w) {
  std::uint64_t state = 5;
  for (int each : {w.q, w.k, w.v, w.o}) state = mix(state ^ std::uint64_t(each + 8));
  return Tensor::full({1}, static_cast<float>(state % 10000));
}

}  // namespace

TEST_CASE("with a softmax, the key bias gets no gradient") {
  check("T = 3, S = 5",
        drawn(exercise::given(3, 4, 12), exercise::given(5, 6, 16), exercise::given(4),
              exercise::given(6), 541),
        Weights::softmax);
  check("T = 1, S = 2", drawn(1, 2, 3, 2, 551), Weights::softmax);
  Case equal = drawn(3, 4, 5, 2, 591);
  equal.q = Tensor::zeros({3, 5}), equal.b_q = Tensor::zeros({5});
  check("queries of 0: equal scores", equal, Weights::softmax);
}

TEST_CASE("with a sigmoid, both get one") {
  check("T = 3, S = 5, sigmoid",
        drawn(exercise::given(3), exercise::given(5, 6, 12), exercise::given(4, 5, 9),
              exercise::given(6), 561),
        Weights::sigmoid);
}

TEST_CASE("large scores") {
  Case large = drawn(4, 6, 8, 3, 571);
  large.q = 60.0f * large.q;
  check("scores of about 100", large, Weights::softmax);
  check("scores of about 100, sigmoid", large, Weights::sigmoid);
}

// Attention of two heads with all biases, and with none for keys and values.
TEST_CASE("the bias of the values moves into that of the output") {
  const int d = 2 * exercise::given(4, 3, 9);
  const Tensor x = exercise::random({2, exercise::given(5), d}, 581);
  const Tensor w_q = exercise::random({d, d}, 582, 0.5f), w_k = exercise::random({d, d}, 583, 0.5f);
  const Tensor w_v = exercise::random({d, d}, 584, 0.5f), w_o = exercise::random({d, d}, 585, 0.5f);
  const Tensor b_k = exercise::random({d}, 586), b_v = exercise::random({d}, 587);
  const Tensor b_o = exercise::random({d}, 588);
  const auto attention = [&](const Tensor& keys, const Tensor& values, const Tensor& output) {
    const Tensor q = split_heads(linear(x, w_q, {}), 2), k = split_heads(linear(x, w_k, keys), 2);
    const float scale = 1 / std::sqrt(static_cast<float>(d) / 2);
    const Tensor a = softmax(scale * matmul(q, k, Transpose::yes));
    return linear(merge_heads(matmul(a, split_heads(linear(x, w_v, values), 2))), w_o, output);
  };
  const auto merged = [&] {
    return from_xt(exercise::merged_bias(to_xt<2>(w_o), to_xt<1>(b_v), to_xt<1>(b_o)));
  };
  COMPARE("the output without b_k and b_v", attention(b_k, b_v, b_o), attention({}, {}, merged()));
}

TEST_CASE("the numbers in your written answer") {
  COMPARE("the four answers as one number, softmax", sealed({0, 1, 1, 0}),
          sealed(exercise::written(Weights::softmax)));
  COMPARE("the four answers as one number, sigmoid", sealed({0, 0, 0, 0}),
          sealed(exercise::written(Weights::sigmoid)));
}
