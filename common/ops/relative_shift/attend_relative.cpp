#include "ops/relative_shift/attend_relative.hpp"

#include <algorithm>

#include "ops/check.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/dropout/kernels.hpp"
#include "ops/matmul/gemm.hpp"
#include "ops/softmax/kernels.hpp"
#include "tensor/parallel.hpp"
#include "tensor/random.hpp"

namespace xf {

namespace {

using kernel::gemm;
using kernel::Matrix;

struct Sizes {
  int batch, heads, t, s, d_k, r_rows;

  std::ptrdiff_t stack() const { return std::ptrdiff_t(batch) * heads; }
  // Where head n of all (sentence by sentence) begins.
  std::ptrdiff_t query(std::ptrdiff_t n) const { return n * t * d_k; }
  std::ptrdiff_t key(std::ptrdiff_t n) const { return n * s * d_k; }
  std::ptrdiff_t score(std::ptrdiff_t n) const { return n * t * s; }
  std::ptrdiff_t distance(std::ptrdiff_t n) const { return n % heads * r_rows * d_k; }
};

// The queries [first, first + t) and the keys up to the last of them: a problem of the same kind,
// with s - t keys before the first query. Its scores lie in one piece, s a row, where the rows of
// these queries begin in a whole (T, S) matrix.
struct Block {
  int first, t, s;
};
std::vector<Block> blocks_of(const Sizes& n) {
  const int most = n.s < 1024 ? 64 : 256, count = (n.t + most - 1) / most;
  std::vector<Block> blocks;
  for (int i = 0; i < count; ++i) {
    const int first = n.t * i / count, end = n.t * (i + 1) / count;
    blocks.push_back({first, end - first, n.s - n.t + end});
  }
  return blocks;
}

// One block of one head: its rows of everything.
struct Part {
  int t, s, d_k;
  const float *q_u, *q_v, *k, *v, *r;  // r: the row of the farthest distance, s - 1

  // Row 0 by distance: its first t - 1 columns reach no key, the others the keys 0 ... s - t.
  int seen_by_first() const { return s - t + 1; }
  std::ptrdiff_t skipped() const { return std::ptrdiff_t(t - 1) * d_k; }
  // Where row 1 by distance begins in (t, s) scores by key; each further row is s + 1 later. Its
  // beginning, which reaches no key, lies in the future of the row before.
  int second_row() const { return s - t + 2; }

  void scores(Cpu on, float* to) const {
    const int first = seen_by_first();
    gemm(on, {q_u, t, d_k}, Matrix{k, s, d_k}.transpose(), {to, t, s});
    gemm(on, {q_v, 1, d_k}, Matrix{r + skipped(), first, d_k}.transpose(), {to, 1, first},
         {.sum = true});
    gemm(on, {q_v + d_k, t - 1, d_k}, Matrix{r, s, d_k}.transpose(),
         {to + second_row(), t - 1, s, s + 1}, {.sum = true});
  }
  void dq_v(Cpu on, const float* ds, float* to) const {
    const int first = seen_by_first();
    gemm(on, {ds, 1, first}, {r + skipped(), first, d_k}, {to, 1, d_k}, {.sum = true});
    gemm(on, {ds + second_row(), t - 1, s, s + 1}, {r, s, d_k}, {to + d_k, t - 1, d_k},
         {.sum = true});
  }
  void dr(Cpu on, const float* ds, float* to) const {
    const int first = seen_by_first();
    gemm(on, Matrix{ds, 1, first}.transpose(), {q_v, 1, d_k}, {to + skipped(), first, d_k},
         {.sum = true});
    gemm(on, Matrix{ds + second_row(), t - 1, s, s + 1}.transpose(), {q_v + d_k, t - 1, d_k},
         {to, s, d_k}, {.sum = true});
  }
};

struct Problem {
  Sizes n;
  Tensor q_u, q_v, k, v, r;
  Mask mask;
  float scale, dropout;
  std::uint64_t key;  // of the dropout; 0: there is none
  std::vector<Block> blocks;

  Part part(std::ptrdiff_t head, const Block& b) const {
    const std::ptrdiff_t query = n.query(head) + std::ptrdiff_t(b.first) * n.d_k;
    return {b.t,
            b.s,
            n.d_k,
            q_u.data() + query,
            q_v.data() + query,
            k.data() + n.key(head),
            v.data() + n.key(head),
            r.data() + n.distance(head) + std::ptrdiff_t(n.r_rows - b.s) * n.d_k};
  }
  kernel::MaskLayout mask_of(std::ptrdiff_t head, const Block& b) const {
    const std::ptrdiff_t sentence = mask.allowed.size(0) == 1 ? 0 : head / n.heads;
    return {.allowed = mask.allowed.data() + (sentence * n.t + b.first) * n.s,
            .heads = 1,
            .queries = b.t,
            .batch_step = 0,
            .query_step = n.s};
  }
  // x times the dropout's factors of this block.
  void drop(Cpu on, std::ptrdiff_t head, const Block& b, const float* x, float* to) const {
    const auto block = static_cast<std::uint64_t>(head * n.t + b.first);
    kernel::dropout(on, x, dropout, mix(key + block), to, std::ptrdiff_t(b.t) * b.s);
  }
  std::ptrdiff_t largest_block() const {
    std::ptrdiff_t largest = 0;
    for (const Block& b : blocks) largest = std::max(largest, std::ptrdiff_t(b.t) * b.s);
    return largest;
  }
  Tensor scratch() const { return Tensor::empty({static_cast<int>(largest_block())}); }
};

// y of the heads [first, last). With `kept`, the softmax of every block goes there.
void forward(Cpu on, const Problem& p, std::ptrdiff_t first, std::ptrdiff_t last, float* y,
             float* kept) {
  const Sizes& n = p.n;
  Tensor own = kept ? Tensor() : p.scratch(), dropped = p.key != 0 ? p.scratch() : Tensor();
  for (std::ptrdiff_t head = first; head < last; ++head)
    for (const Block& b : p.blocks) {
      const Part part = p.part(head, b);
      float* weights = kept ? kept + n.score(head) + std::ptrdiff_t(b.first) * n.s : own.data();
      part.scores(on, weights);
      kernel::softmax(on, weights, p.scale, p.mask_of(head, b), weights, b.t, b.s);
      const float* used = weights;
      if (p.key != 0) p.drop(on, head, b, weights, dropped.data()), used = dropped.data();
      gemm(on, {used, b.t, b.s}, {part.v, b.s, n.d_k},
           {y + n.query(head) + std::ptrdiff_t(b.first) * n.d_k, b.t, n.d_k});
    }
}

// What backward adds to; null where no gradient is wanted. Two inputs that are one tensor have one
// target.
struct Targets {
  float *q_u = nullptr, *q_v = nullptr, *k = nullptr, *v = nullptr, *r = nullptr;
};

void backward(Cpu on, const Problem& p, std::ptrdiff_t head, const float* dy, const float* kept,
              const Targets& to, float* ds, float* dropped) {
  const Sizes& n = p.n;
  for (const Block& b : p.blocks) {
    const Part part = p.part(head, b);
    const std::ptrdiff_t rows = std::ptrdiff_t(b.first) * n.d_k, query = n.query(head) + rows;
    const float *weights = kept + n.score(head) + std::ptrdiff_t(b.first) * n.s, *used = weights;
    if (p.key != 0) p.drop(on, head, b, weights, dropped), used = dropped;
    const Matrix dy_rows{dy + query, b.t, n.d_k};
    if (to.v)
      gemm(on, Matrix{used, b.t, b.s}.transpose(), dy_rows, {to.v + n.key(head), b.s, n.d_k},
           {.sum = true});
    gemm(on, dy_rows, Matrix{part.v, b.s, n.d_k}.transpose(), {ds, b.t, b.s});
    if (p.key != 0) p.drop(on, head, b, ds, ds);
    kernel::softmax_backward(on, weights, ds, p.scale, ds, b.t, b.s);
    const Matrix ds_rows{ds, b.t, b.s};
    if (to.q_u)
      gemm(on, ds_rows, {part.k, b.s, n.d_k}, {to.q_u + query, b.t, n.d_k}, {.sum = true});
    if (to.k)
      gemm(on, ds_rows.transpose(), {part.q_u, b.t, n.d_k}, {to.k + n.key(head), b.s, n.d_k},
           {.sum = true});
    if (to.q_v) part.dq_v(on, ds, to.q_v + query);
    if (to.r) part.dr(on, ds, to.r + n.distance(head) + std::ptrdiff_t(n.r_rows - b.s) * n.d_k);
  }
}

// The blocks of the softmax as one (B, H, T, S) tensor, with zeros where nothing was computed.
Tensor whole(const Problem& p, const Tensor& kept) {
  const Sizes& n = p.n;
  Tensor all = Tensor::zeros(kept.shape());
  for (std::ptrdiff_t head = 0; head < n.stack(); ++head)
    for (const Block& b : p.blocks)
      for (int i = 0; i < b.t; ++i) {
        const std::ptrdiff_t start = n.score(head) + std::ptrdiff_t(b.first) * n.s;
        std::copy_n(kept.data() + start + std::ptrdiff_t(i) * b.s, b.s,
                    all.data() + start + std::ptrdiff_t(i) * n.s);
      }
  return all;
}

Sizes check(const Tensor& q_u, const Tensor& q_v, const Tensor& k, const Tensor& v, const Tensor& r,
            const RelativeAttentionOptions& options) {
  const bool ranks = q_u.rank() == 4 && k.rank() == 4 && r.rank() == 4;
  const bool fits = ranks && q_v.shape() == q_u.shape() && v.shape() == k.shape() &&
                    k.size(0) == q_u.size(0) && k.size(1) == q_u.size(1) &&
                    k.size(3) == q_u.size(3) && q_u.size(2) >= 1 && k.size(2) >= q_u.size(2) &&
                    r.size(0) == 1 && r.size(1) == k.size(1) && r.size(2) >= k.size(2) &&
                    r.size(3) == k.size(3);
  require(fits, "attend_relative", [&] {
    return "q_u, q_v (B, H, T, Dk), k, v (B, H, S, Dk) and r (1, H, R, Dk) with T <= S <= R "
           "wanted: q_u is " +
           q_u.shape().str() + ", q_v is " + q_v.shape().str() + ", k is " + k.shape().str() +
           ", v is " + v.shape().str() + ", r is " + r.shape().str();
  });
  require(options.scale > 0, "attend_relative",
          [&] { return "the scale must be positive, not " + std::to_string(options.scale); });
  const Shape& m = options.mask.allowed.shape();
  require(options.mask.defined() && m.rank() == 3 && (m[0] == 1 || m[0] == k.size(0)) &&
              m[1] == q_u.size(2) && m[2] == k.size(2),
          "attend_relative", [&] {
            return "a mask (B|1, T, S) is wanted: q_u is " + q_u.shape().str() + ", k is " +
                   k.shape().str() + ", the mask is " +
                   (options.mask.defined() ? m.str() : "undefined");
          });
  return {q_u.size(0), q_u.size(1), q_u.size(2), k.size(2), q_u.size(3), r.size(2)};
}

Targets targets_of(InputGradients& inputs, const Problem& p, Tensor& dr) {
  Targets to;
  const auto wish = [&](int i, const Tensor& x, float*& target) {
    if (!inputs.wanted(i)) return;
    auto [dx, sum] = inputs.accumulate(i, x.shape(), x.device());
    if (!sum) std::fill_n(dx.data(), dx.count(), 0.0f);
    target = dx.data();
  };
  wish(0, p.q_u, to.q_u);
  wish(1, p.q_v, to.q_v);
  wish(2, p.k, to.k);
  wish(3, p.v, to.v);
  if (!inputs.wanted(4)) return to;
  dr = Tensor::zeros(p.r.shape(), p.r.device());
  to.r = dr.data();
  return to;
}

}  // namespace

Tensor attend_relative(const Tensor& q_u, const Tensor& q_v, const Tensor& k, const Tensor& v,
                       const Tensor& r, const RelativeAttentionOptions& options) {
  const Sizes n = check(q_u, q_v, k, v, r, options);
  const std::uint64_t key = dropout_key(options.dropout);
  const Problem p{n,
                  q_u.view(q_u.shape()),
                  q_v.view(q_v.shape()),
                  k.view(k.shape()),
                  v.view(v.shape()),
                  r.view(r.shape()),
                  options.mask,
                  options.scale,
                  options.dropout,
                  key,
                  blocks_of(n)};
  Tensor y = Tensor::empty(q_u.shape(), q_u.device()), kept;
  if (options.weights || tracked({&q_u, &q_v, &k, &v, &r}))
    kept = Tensor::empty({n.batch, n.heads, n.t, n.s}, q_u.device());
  dispatch(y.device(), [&](auto on) {
    parallel_for(n.stack(), 1, [&](auto first, auto last) {
      forward(on, p, first, last, y.data(), kept.defined() ? kept.data() : nullptr);
    });
  });
  if (options.weights) *options.weights = whole(p, kept);
  return record("attend_relative", y, {&q_u, &q_v, &k, &v, &r},
                [p, kept](InputGradients& inputs, const Tensor& dy) {
                  Tensor dr;
                  const Targets to = targets_of(inputs, p, dr);
                  dispatch(dy.device(), [&](auto on) {  // a head of all sentences adds to one dr
                    parallel_for(p.n.heads, 1, [&](auto first, auto last) {
                      Tensor ds = p.scratch(), dropped = p.key != 0 ? p.scratch() : Tensor();
                      for (std::ptrdiff_t i = 0; i < p.n.stack(); ++i)
                        if (i % p.n.heads >= first && i % p.n.heads < last)
                          backward(on, p, i, dy.data(), kept.data(), to, ds.data(),
                                   dropped.defined() ? dropped.data() : nullptr);
                    });
                  });
                  if (dr.defined()) inputs.add(4, std::move(dr));
                });
}

}  // namespace xf
