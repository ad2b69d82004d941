#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

struct Inputs {
  Tensor q, k, v, dout;
};

Inputs inputs(int usual_t, int usual_s, int usual_dk, int usual_dv, float deviation,
              std::uint64_t seed) {
  const int more = deviation > 2 ? 4 : 12;  // large scores are rounded, the more the wider they are
  const auto drawn = [=](int size) { return exercise::given(size, size, size + more); };
  const int t = usual_t == 1 ? 1 : drawn(usual_t), s = usual_s == 1 ? 1 : drawn(usual_s);
  const int dk = drawn(usual_dk), dv = drawn(usual_dv);
  return {exercise::random({t, dk}, seed, deviation), exercise::random({s, dk}, seed + 1),
          exercise::random({s, dv}, seed + 2), exercise::random({t, dv}, seed + 3)};
}

// 0 by q, 1 by k, 2 by v: from the engine's own ops and tape.
Tensor taped(const Inputs& in, int which) {
  const Tensor q = parameter(in.q.clone()), k = parameter(in.k.clone());
  const Tensor v = parameter(in.v.clone());
  Tape tape;
  const float scale = 1 / std::sqrt(static_cast<float>(q.size(1)));
  const Tensor weights = softmax(matmul(q, transpose(k)), {.scale = scale});
  const Gradients gradients = tape.backward(weighted_sum(matmul(weights, v), in.dout));
  return gradients.of(which == 0 ? q : which == 1 ? k : v);
}

void check(const std::string& what, const Inputs& in) {
  const auto own = [&] {
    return exercise::attention_backward(to_xt<2>(in.q), to_xt<2>(in.k), to_xt<2>(in.v),
                                        to_xt<2>(in.dout));
  };
  COMPARE_GRADIENT("dV, " + what, taped(in, 2), from_xt(own().dv));
  COMPARE_GRADIENT("dQ, " + what, taped(in, 0), from_xt(own().dq));
  COMPARE_GRADIENT("dK, " + what, taped(in, 1), from_xt(own().dk));
}

}  // namespace

TEST_CASE("the three gradients") {
  check("T = 2, S = 3, d_k = 4, d_v = 5", inputs(2, 3, 4, 5, 1, 101));
  check("T = 1, S = 4, d_k = 3, d_v = 2", inputs(1, 4, 3, 2, 1, 117));
  check("queries of 0: equal scores", inputs(2, 4, 3, 5, 0, 121));
}

TEST_CASE("more queries than keys") {
  check("T = 6, S = 4, d_k = 2, d_v = 3", inputs(6, 4, 2, 3, 2, 105));
}

TEST_CASE("a single key has all the weight: dQ and dK are 0") {
  check("T = 3, S = 1, d_k = 5, d_v = 2", inputs(3, 1, 5, 2, 1, 109));
}

TEST_CASE("large scores stay finite") {
  check("queries of about 200", inputs(2, 5, 3, 4, 200, 113));
}
