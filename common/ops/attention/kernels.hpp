#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/mask.hpp"
#include "tensor/device.hpp"

// A kernel is declared here once, and specialised for each device in its own file.
namespace xf::kernel {

// ---- rows of a cache ----------------------------------------------------------------------------

// One query for each of seen.size() sentences.   q, y: (B, D)   keys, values: (N, D), D = H Dk
struct RowAttention {
  const float *q, *keys, *values;
  std::span<const std::vector<int>> seen;
  int heads, d_k;

  std::size_t longest() const {  // list
    std::size_t most = 0;
    for (const std::vector<int>& list : seen) most = std::max(most, list.size());
    return most;
  }
};

// Unless null, `weights` (B, H, longest) receives the weights of each list, followed by zeros.
template <class On>
void attend_rows(On, const RowAttention& rows, float* weights, float* y);

// ---- packed sentences ---------------------------------------------------------------------------

// One head of one sentence: `queries` rows of q, dq, y, dy and `keys` rows of k, v, dk, dv, each of
// d_k numbers, `stride` apart. Its weights and dweights have one row per query, padded to whole
// cache lines. With `causal`, query t sees the keys 0 ... t. The weights of other keys, and the
// padding, are 0.
struct PackedHead {
  int queries, keys, d_k;
  std::ptrdiff_t stride;
  bool causal;

  int weight_stride() const { return (keys + 15) / 16 * 16; }
  std::ptrdiff_t weight_count() const { return std::ptrdiff_t(queries) * weight_stride(); }
};

// All heads of all sentences. The weights are stored contiguously: sentence by sentence, and within
// each sentence head by head.
struct PackedHeads {
  Packing sentences;
  int heads;
  int width;                            // D = H Dk
  std::vector<std::ptrdiff_t> weights;  // each sentence's offset, and the total

  PackedHeads(const Packing& packing, int head_count, int d_model)
      : sentences(packing), heads(head_count), width(d_model), weights{0} {
    for (std::ptrdiff_t i = 0; i < count(); ++i)
      weights.push_back(weights.back() + heads * head(i).weight_count());
  }

  std::ptrdiff_t count() const { return static_cast<std::ptrdiff_t>(sentences.queries.size()) - 1; }
  std::ptrdiff_t weight_count() const { return weights.back(); }
  // Any of the heads of sentence i.
  PackedHead head(std::ptrdiff_t i) const {
    const auto at = static_cast<std::size_t>(i);
    return {sentences.queries[at + 1] - sentences.queries[at],
            sentences.keys[at + 1] - sentences.keys[at], width / heads, width, sentences.causal};
  }
};

// The dropout rate of the weights, and its key; 0: nothing is dropped. The mask is indexed by a
// weight's position among all weights, in the order above.
struct PackedDropout {
  float rate;
  std::uint64_t key;
};

// What forward keeps for backward on the same device. On the CPU these are the weights before and
// after dropout; on a GPU, for each head and query (H, N), the logarithm of the sum of e^scores,
// from which the weights are recomputed.
struct PackedKept {
  const float *weights, *dropped;
};
// The sizes of these arrays. If `dropped` has size 0, `weights` is passed in its place: on the CPU
// if nothing is dropped; on a GPU always, because it drops the weights as it recomputes them.
struct PackedSizes {
  std::ptrdiff_t weights, dropped;
};
template <class On>
PackedSizes packed_sizes(On, const PackedHeads& heads, const PackedDropout& dropout);

// y = dropout(softmax(q k^T / sqrt(d_k))) v.   q, y: (N, D)   k, v: (M, D)
template <class On>
void attend_packed(On, const PackedHeads& heads, const PackedDropout& dropout, const float* q,
                   const float* k, const float* v, float* weights, float* dropped, const Output& y);

struct PackedValues {
  const float *q, *k, *v, *y, *dy;
};
struct PackedGradients {
  Output q, k, v;
};
template <class On>
void attend_packed_backward(On, const PackedHeads& heads, const PackedDropout& dropout,
                            const PackedKept& kept, const PackedValues& x,
                            const PackedGradients& to);
// Writes the weights before dropout as (H, N, M); `to` must hold zeros.
template <class On>
void packed_written_out(On, const PackedHeads& heads, const PackedKept& kept, const float* q,
                        const float* k, float* to);

// ---- relative positions -------------------------------------------------------------------------

// q_u, q_v: (B, H, T, Dk)   k, v: (B, H, S, Dk)   r: (H, R, Dk)   allowed: (B|1, T, S)
struct RelativeHeads {
  int batch, heads, t, s, d_k, r_rows;
  Input q_u, q_v, k, v;
  const float* r;
  const std::int32_t* allowed;
  std::ptrdiff_t allowed_step;  // stride between sentences; 0: shared by all
  float scale, dropout;
  std::uint64_t key;  // of the dropout; 0: no dropout
};

// Unless null, `kept` (B, H, T, S) receives the softmax, in the order that backward expects.
template <class On>
void attend_relative(On, const RelativeHeads& heads, float* kept, float* y);
// The same softmax in row-major order; `to` must hold zeros.
template <class On>
void relative_weights(On, const RelativeHeads& heads, const float* kept, float* to);

// What backward adds to; null where no gradient is wanted. If two inputs are the same tensor, they
// share one target.
struct RelativeGradients {
  float *q_u = nullptr, *q_v = nullptr, *k = nullptr, *v = nullptr, *r = nullptr;
};
template <class On>
void attend_relative_backward(On, const RelativeHeads& heads, const float* kept, const Input& dy,
                              const RelativeGradients& to);

}  // namespace xf::kernel
