#include "ops/relative_shift/shifted_scores.hpp"

#include "ops/check.hpp"
#include "ops/matmul/gemm.hpp"
#include "tensor/parallel.hpp"

namespace xf {

namespace {

using kernel::gemm;
using kernel::Matrix;

// One sentence's T queries and S keys in one head; r points to the last S rows of that head.
struct Sizes {
  int batch, heads, t, s, d_k, r_rows;

  std::ptrdiff_t query(int b, int h) const { return (std::ptrdiff_t(b) * heads + h) * t * d_k; }
  std::ptrdiff_t key(int b, int h) const { return (std::ptrdiff_t(b) * heads + h) * s * d_k; }
  std::ptrdiff_t score(int b, int h) const { return (std::ptrdiff_t(b) * heads + h) * t * s; }
  std::ptrdiff_t distance(int h) const { return (std::ptrdiff_t(h) * r_rows + r_rows - s) * d_k; }
  // Row 0 by distance: its first T-1 columns reach no key, the others the keys 0 … M.
  int farthest() const { return (t - 1) * d_k; }
  int seen_by_first() const { return s - t + 1; }
  // Column 0 of row 1 by distance, in a (T, S) matrix; each further row begins S + 1 later.
  int second_row() const { return s - t + 2; }
};

Sizes check(const Tensor& q_u, const Tensor& k, const Tensor& q_v, const Tensor& r) {
  const bool ranks = q_u.rank() == 4 && k.rank() == 4 && r.rank() == 4;
  const bool fits = ranks && q_v.shape() == q_u.shape() && k.size(0) == q_u.size(0) &&
                    k.size(1) == q_u.size(1) && k.size(3) == q_u.size(3) &&
                    k.size(2) >= q_u.size(2) && q_u.size(2) >= 1 && r.size(0) == 1 &&
                    r.size(1) == k.size(1) && r.size(2) >= k.size(2) && r.size(3) == k.size(3);
  require(fits, "shifted_scores", [&] {
    return "q_u, q_v (B, H, T, Dk), k (B, H, S, Dk) and r (1, H, R, Dk) with T <= S <= R wanted: "
           "q_u is " +
           q_u.shape().str() + ", k is " + k.shape().str() + ", q_v is " + q_v.shape().str() +
           ", r is " + r.shape().str();
  });
  return {q_u.size(0), q_u.size(1), q_u.size(2), k.size(2), q_u.size(3), r.size(2)};
}

// Calls body(sentence, head) for all of them, split over the threads.
template <class Body>
void each_head(const Sizes& n, const Body& body) {
  const double work = double(n.t) * n.s * n.d_k;
  const auto grain = static_cast<std::ptrdiff_t>(std::max(1.0, (1 << 18) / (work + 1)));
  parallel_for(std::ptrdiff_t(n.batch) * n.heads, grain, [&](auto first, auto last) {
    for (auto i = first; i < last; ++i) body(static_cast<int>(i / n.heads), int(i % n.heads));
  });
}

void scores(Cpu on, const Sizes& n, const float* q_u, const float* k, const float* q_v,
            const float* r, float* y) {
  each_head(n, [=, &n](int b, int h) {
    const float* q = q_v + n.query(b, h);
    const Matrix by_distance{r + n.distance(h), n.d_k, true};
    const Matrix near{by_distance.data + n.farthest(), n.d_k, true};
    float* to = y + n.score(b, h);
    gemm(on, n.t, n.s, n.d_k, {q_u + n.query(b, h), n.d_k}, {k + n.key(b, h), n.d_k, true}, to, n.s,
         false);
    gemm(on, 1, n.seen_by_first(), n.d_k, {q, n.d_k}, near, to, n.s, true);
    gemm(on, n.t - 1, n.s, n.d_k, {q + n.d_k, n.d_k}, by_distance, to + n.second_row(), n.s + 1,
         true);
  });
}

// dx (+)= dy y of every head: what the content's product gives back to its factors.
void content_backward(Cpu on, const Sizes& n, const float* dy, const float* k, float* dq_u,
                      bool sum) {
  each_head(n, [=, &n](int b, int h) {
    gemm(on, n.t, n.d_k, n.s, {dy + n.score(b, h), n.s}, {k + n.key(b, h), n.d_k},
         dq_u + n.query(b, h), n.d_k, sum);
  });
}
void keys_backward(Cpu on, const Sizes& n, const float* dy, const float* q_u, float* dk, bool sum) {
  each_head(n, [=, &n](int b, int h) {
    gemm(on, n.s, n.d_k, n.t, {dy + n.score(b, h), n.s, true}, {q_u + n.query(b, h), n.d_k},
         dk + n.key(b, h), n.d_k, sum);
  });
}
void position_backward(Cpu on, const Sizes& n, const float* dy, const float* r, float* dq_v,
                       bool sum) {
  each_head(n, [=, &n](int b, int h) {
    const float *from = dy + n.score(b, h), *rows = r + n.distance(h);
    float* to = dq_v + n.query(b, h);
    gemm(on, 1, n.d_k, n.seen_by_first(), {from, n.s}, {rows + n.farthest(), n.d_k}, to, n.d_k,
         sum);
    gemm(on, n.t - 1, n.d_k, n.s, {from + n.second_row(), n.s + 1}, {rows, n.d_k}, to + n.d_k,
         n.d_k, sum);
  });
}
// Every sentence adds to the same rows: the threads share out the heads.
void distances_backward(Cpu on, const Sizes& n, const float* dy, const float* q_v, float* dr) {
  parallel_for(n.heads, 1, [=, &n](auto first, auto last) {
    for (int h = int(first); h < int(last); ++h)
      for (int b = 0; b < n.batch; ++b) {
        const float *from = dy + n.score(b, h), *q = q_v + n.query(b, h);
        float* to = dr + n.distance(h);
        gemm(on, n.seen_by_first(), n.d_k, 1, {from, n.s, true}, {q, n.d_k}, to + n.farthest(),
             n.d_k, true);
        gemm(on, n.s, n.d_k, n.t - 1, {from + n.second_row(), n.s + 1, true}, {q + n.d_k, n.d_k},
             to, n.d_k, true);
      }
  });
}

}  // namespace

Tensor shifted_scores(const Tensor& q_u, const Tensor& k, const Tensor& q_v, const Tensor& r) {
  const Sizes n = check(q_u, k, q_v, r);
  Tensor y = Tensor::empty({n.batch, n.heads, n.t, n.s}, q_u.device());
  dispatch(y.device(),
           [&](auto on) { scores(on, n, q_u.data(), k.data(), q_v.data(), r.data(), y.data()); });
  return record("shifted_scores", y, {&q_u, &k, &q_v, &r},
                [=](InputGradients& inputs, const Tensor& dy) {
                  dispatch(dy.device(), [&](auto on) {
                    if (inputs.wanted(0)) {
                      auto [dq_u, sum] = inputs.accumulate(0, q_u.shape(), q_u.device());
                      content_backward(on, n, dy.data(), k.data(), dq_u.data(), sum);
                    }
                    if (inputs.wanted(1)) {
                      auto [dk, sum] = inputs.accumulate(1, k.shape(), k.device());
                      keys_backward(on, n, dy.data(), q_u.data(), dk.data(), sum);
                    }
                    if (inputs.wanted(2)) {
                      auto [dq_v, sum] = inputs.accumulate(2, q_v.shape(), q_v.device());
                      position_backward(on, n, dy.data(), r.data(), dq_v.data(), sum);
                    }
                    if (inputs.wanted(3)) {
                      Tensor dr = Tensor::zeros(r.shape(), r.device());
                      distances_backward(on, n, dy.data(), q_v.data(), dr.data());
                      inputs.add(3, std::move(dr));
                    }
                  });
                });
}

}  // namespace xf
