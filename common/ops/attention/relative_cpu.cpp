#include <algorithm>

#include "ops/attention/kernels.hpp"
#include "ops/attention/relative_blocks.hpp"
#include "ops/dropout/kernels.hpp"
#include "ops/matmul/gemm.hpp"
#include "ops/softmax/kernels.hpp"
#include "tensor/parallel.hpp"
#include "tensor/random.hpp"
#include "tensor/tensor.hpp"

namespace xf::kernel {

namespace {

using Block = RelativeBlock;
std::vector<Block> blocks_of(const RelativeHeads& n) {
  std::vector<Block> blocks;
  for (int i = 0; i < relative_blocks(n.t, n.s); ++i) blocks.push_back(relative_block(i, n.t, n.s));
  return blocks;
}

// One block of one head: its rows of all the matrices.
struct Part {
  int t, s, d_k;
  const float *q_u, *q_v, *k, *v, *r;  // r: the row of the farthest distance, s - 1

  // Row 0 by distance: its first t - 1 columns reach no key, the others reach keys 0 ... s - t.
  int seen_by_first() const { return s - t + 1; }
  std::ptrdiff_t skipped() const { return std::ptrdiff_t(t - 1) * d_k; }
  // Where row 1 by distance begins in (t, s) scores by key; each further row is s + 1 later. Its
  // beginning, which reaches no key, overlaps the future keys of the previous row.
  int second_row() const { return s - t + 2; }

  void scores(float* to) const {
    const int first = seen_by_first();
    gemm(Cpu{}, {q_u, t, d_k}, Matrix{k, s, d_k}.transpose(), {to, t, s});
    gemm(Cpu{}, {q_v, 1, d_k}, Matrix{r + skipped(), first, d_k}.transpose(), {to, 1, first},
         {.sum = true});
    gemm(Cpu{}, {q_v + d_k, t - 1, d_k}, Matrix{r, s, d_k}.transpose(),
         {to + second_row(), t - 1, s, s + 1}, {.sum = true});
  }
  void dq_v(const float* ds, float* to) const {
    const int first = seen_by_first();
    gemm(Cpu{}, {ds, 1, first}, {r + skipped(), first, d_k}, {to, 1, d_k}, {.sum = true});
    gemm(Cpu{}, {ds + second_row(), t - 1, s, s + 1}, {r, s, d_k}, {to + d_k, t - 1, d_k},
         {.sum = true});
  }
  void dr(const float* ds, float* to) const {
    const int first = seen_by_first();
    gemm(Cpu{}, Matrix{ds, 1, first}.transpose(), {q_v, 1, d_k}, {to + skipped(), first, d_k},
         {.sum = true});
    gemm(Cpu{}, Matrix{ds + second_row(), t - 1, s, s + 1}.transpose(), {q_v + d_k, t - 1, d_k},
         {to, s, d_k}, {.sum = true});
  }
};

// Where head i begins, counting the heads of all sentences (sentence by sentence).
struct Places {
  const RelativeHeads& n;

  std::ptrdiff_t stack() const { return std::ptrdiff_t(n.batch) * n.heads; }
  std::ptrdiff_t query(std::ptrdiff_t i) const { return i * n.t * n.d_k; }
  std::ptrdiff_t key(std::ptrdiff_t i) const { return i * n.s * n.d_k; }
  std::ptrdiff_t score(std::ptrdiff_t i) const { return i * n.t * n.s; }
  std::ptrdiff_t distance(std::ptrdiff_t i) const { return i % n.heads * n.r_rows * n.d_k; }
  // The same for a block.
  std::ptrdiff_t query(std::ptrdiff_t i, const Block& b) const {
    return query(i) + std::ptrdiff_t(b.first) * n.d_k;
  }
  std::ptrdiff_t score(std::ptrdiff_t i, const Block& b) const {
    return score(i) + std::ptrdiff_t(b.first) * n.s;
  }
  std::ptrdiff_t distance(std::ptrdiff_t i, const Block& b) const {
    return distance(i) + std::ptrdiff_t(n.r_rows - b.s) * n.d_k;
  }
};

struct Problem : Places {
  std::vector<Block> blocks = blocks_of(n);

  explicit Problem(const RelativeHeads& heads) : Places{heads} {}

  Part part(std::ptrdiff_t i, const Block& b) const {
    return {b.t,
            b.s,
            n.d_k,
            n.q_u + query(i, b),
            n.q_v + query(i, b),
            n.k + key(i),
            n.v + key(i),
            n.r + distance(i, b)};
  }
  MaskLayout mask_of(std::ptrdiff_t i, const Block& b) const {
    return {.allowed = n.allowed + i / n.heads * n.allowed_step + std::ptrdiff_t(b.first) * n.s,
            .heads = 1,
            .queries = b.t,
            .batch_step = 0,
            .query_step = n.s};
  }
  bool drops() const { return n.key != 0; }
  // x times the dropout factors of this block.
  void drop(std::ptrdiff_t i, const Block& b, const float* x, float* to) const {
    const auto block = static_cast<std::uint64_t>(i * n.t + b.first);
    dropout(Cpu{}, x, n.dropout, mix(n.key + block), to, std::ptrdiff_t(b.t) * b.s);
  }
  // Room for the scores of any block.
  Tensor scratch() const {
    std::ptrdiff_t largest = 0;
    for (const Block& b : blocks) largest = std::max(largest, std::ptrdiff_t(b.t) * b.s);
    return Tensor::empty({static_cast<int>(largest)}, Device::cpu);
  }
};

// Computes y of head i. The softmax of every block goes to `kept`, or to `own` if that is null.
void forward(const Problem& p, std::ptrdiff_t i, float* kept, float* own, float* dropped,
             float* y) {
  const int d_k = p.n.d_k;
  for (const Block& b : p.blocks) {
    const Part part = p.part(i, b);
    float* weights = kept ? kept + p.score(i, b) : own;
    part.scores(weights);
    softmax(Cpu{}, weights, p.n.scale, p.mask_of(i, b), weights, b.t, b.s);
    if (p.drops()) p.drop(i, b, weights, dropped);
    gemm(Cpu{}, {p.drops() ? dropped : weights, b.t, b.s}, {part.v, b.s, d_k},
         {y + p.query(i, b), b.t, d_k});
  }
}

void backward(const Problem& p, std::ptrdiff_t i, const float* dy, const float* kept,
              const RelativeGradients& to, float* ds, float* dropped) {
  const int d_k = p.n.d_k;
  for (const Block& b : p.blocks) {
    const Part part = p.part(i, b);
    const float *weights = kept + p.score(i, b), *used = weights;
    if (p.drops()) p.drop(i, b, weights, dropped), used = dropped;
    const Matrix dy_rows{dy + p.query(i, b), b.t, d_k}, ds_rows{ds, b.t, b.s};
    if (to.v)
      gemm(Cpu{}, Matrix{used, b.t, b.s}.transpose(), dy_rows, {to.v + p.key(i), b.s, d_k},
           {.sum = true});
    gemm(Cpu{}, dy_rows, Matrix{part.v, b.s, d_k}.transpose(), {ds, b.t, b.s});
    if (p.drops()) p.drop(i, b, ds, ds);
    softmax_backward(Cpu{}, weights, ds, p.n.scale, ds, b.t, b.s);
    if (to.q_u)
      gemm(Cpu{}, ds_rows, {part.k, b.s, d_k}, {to.q_u + p.query(i, b), b.t, d_k}, {.sum = true});
    if (to.k)
      gemm(Cpu{}, ds_rows.transpose(), {part.q_u, b.t, d_k}, {to.k + p.key(i), b.s, d_k},
           {.sum = true});
    if (to.q_v) part.dq_v(ds, to.q_v + p.query(i, b));
    if (to.r) part.dr(ds, to.r + p.distance(i, b));
  }
}

}  // namespace

template <>
void attend_relative(Cpu, const RelativeHeads& heads, float* kept, float* y) {
  const Problem p(heads);
  parallel_for(p.stack(), 1, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    Tensor own = kept ? Tensor() : p.scratch(), dropped = p.drops() ? p.scratch() : Tensor();
    for (std::ptrdiff_t i = first; i < last; ++i)
      forward(p, i, kept, kept ? nullptr : own.data(Cpu{}),
              p.drops() ? dropped.data(Cpu{}) : nullptr, y);
  });
}

template <>
void attend_relative_backward(Cpu, const RelativeHeads& heads, const float* kept, const Input& dy,
                              const RelativeGradients& to) {
  const Problem p(heads);
  // Split by head, because the same head of all sentences adds to one gradient of r.
  parallel_for(heads.heads, 1, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    Tensor ds = p.scratch(), dropped = p.drops() ? p.scratch() : Tensor();
    for (std::ptrdiff_t i = 0; i < p.stack(); ++i)
      if (i % heads.heads >= first && i % heads.heads < last)
        backward(p, i, dy, kept, to, ds.data(Cpu{}), p.drops() ? dropped.data(Cpu{}) : nullptr);
  });
}

template <>
void relative_weights(Cpu, const RelativeHeads& heads, const float* kept, float* to) {
  const Problem p(heads);
  for (std::ptrdiff_t i = 0; i < p.stack(); ++i)
    for (const Block& b : p.blocks)
      for (int t = 0; t < b.t; ++t)
        std::copy_n(kept + p.score(i, b) + std::ptrdiff_t(t) * b.s, b.s,
                    to + p.score(i, b) + std::ptrdiff_t(t) * heads.s);
}

}  // namespace xf::kernel
