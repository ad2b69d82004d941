#include "support/test.hpp"
#include "02_attention/attention.hpp"
#include "02_attention/mask.hpp"
#include "exercise.hpp"

using namespace xf;

static Tensor own(const Tensor& q, const Tensor& k, const Tensor& v) {
  return from_xt(exercise::causal_attention(to_xt<2>(q), to_xt<2>(k), to_xt<2>(v)));
}

static Tensor wanted(const Tensor& q, const Tensor& k, const Tensor& v) {
  const int t = q.size(0), s = k.size(0), d_k = q.size(1);
  const Tensor y = attention(reshape(q, {1, 1, t, d_k}), reshape(k, {1, 1, s, d_k}),
                             reshape(v, {1, 1, s, v.size(1)}), causal_mask(t, s, s - t));
  return reshape(y, {t, v.size(1)});
}

static void check(const std::string& name, const Tensor& q, const Tensor& k) {
  const Tensor v = exercise::random({k.size(0), exercise::given(2, 2, 9)}, 63);
  COMPARE(name, wanted(q, k, v), own(q, k, v));
}

static void check(const std::string& name, int usual_t, int usual_s, int usual_d_k) {
  const int t = exercise::given(usual_t, usual_t, usual_t + 12), past = usual_s - usual_t;
  const int d_k = exercise::given(usual_d_k, usual_d_k, usual_d_k + 9);
  const int s = t + exercise::given(past, past, past + 12);
  check(name, exercise::random({t, d_k}, 61), exercise::random({s, d_k}, 62));
}

TEST_CASE("each position sees itself and what came before") {
  check("causal_attention, T = S = 4", 4, 4, 3);
}

TEST_CASE("what comes later changes nothing") {
  const int rows = exercise::given(3), later = exercise::given(2), t = rows + later;
  const Tensor q = exercise::random({t, 3}, 64), k = exercise::random({t, 3}, 65);
  const Tensor v = exercise::random({t, 2}, 66);
  const auto changed = [&](const Tensor& x, std::uint64_t seed) {  // from row 3 on
    return concat(slice(x, 0, 0, rows), exercise::random({later, x.size(1)}, seed, 2.0f), 0);
  };
  COMPARE("rows 0 to 2, when rows 3 and 4 of k and v are changed",
          slice(wanted(q, k, v), 0, 0, rows),
          slice(own(q, changed(k, 67), changed(v, 68)), 0, 0, rows));
}

TEST_CASE("the newest words see the whole past") {
  check("causal_attention, T = 2, S = 5", 2, 5, 4);
  const int past = exercise::given(3, 0, 9);  // a single one, as when a text is written
  check("causal_attention, T = 1, S = 4", exercise::random({1, 3}, 69),
        exercise::random({past + 1, 3}, 70));
}

TEST_CASE("large and very negative scores neither overflow nor vanish") {
  check("causal_attention, scores -300 -450 -200 500", Tensor::full({4, 1}, 1.0f),
        exercise::given({4, 1}, {-300, -450, -200, 500}));
  check("causal_attention, scores -300 -310 -305 -295", Tensor::full({4, 1}, 1.0f),
        exercise::given({4, 1}, {-300, -310, -305, -295}));
  check("causal_attention, scores -30000 -30010 -30005 500", Tensor::full({4, 1}, 1.0f),
        exercise::given({4, 1}, {-30000, -30010, -30005, 500}));
  check("causal_attention, scores -300 -450 200 500, T = 2", Tensor::full({2, 1}, 1.0f),
        exercise::given({4, 1}, {-300, -450, 200, 500}));
}
