#include <algorithm>
#include <cmath>

#include "ops/attention/kernels.hpp"
#include "ops/dropout/kernels.hpp"
#include "ops/matmul/gemm.hpp"
#include "ops/matmul/tile.hpp"
#include "ops/softmax/row.hpp"
#include "tensor/parallel.hpp"
#include "tensor/tensor.hpp"

namespace xf::kernel {

namespace {

// How many keys query t sees.
int seen(const PackedHead& head, int t) {
  return head.causal ? std::min(t + 1, head.keys) : head.keys;
}

// The first query that sees key s.
int first_to_see(const PackedHead& head, int s) {
  return head.causal ? std::min(s, head.queries) : 0;
}

// A short head: everything it needs fits in the first-level cache, so that the tiles of a product
// read their operands in place. Tiles compute whole vectors.
constexpr int max_short = 64, max_transposed = 4096;
bool is_short(const PackedHead& head) {
  return head.d_k % lanes == 0 && std::max(head.queries, head.keys) <= max_short &&
         head.d_k * head.weight_stride() <= max_transposed;
}

// Calls body(first, last) for blocks of `rows` rows. With `causal` the blocks are small, so that
// little work above the diagonal is wasted.
template <class Body>
void for_each_block(const PackedHead& head, int rows, const Body& body) {
  const int most = is_short(head) ? tile_rows : head.causal ? 64 : std::max(1, rows);
  const int blocks = (rows + most - 1) / most;
  for (int i = 0; i < blocks; ++i) body(rows * i / blocks, rows * (i + 1) / blocks);
}

// C = A B for a tile's rows and whole vectors of columns.
void tiles_of(int rows, int columns, int depth, const float* a, std::ptrdiff_t a_stride,
              bool transposed, const float* b, std::ptrdiff_t b_stride, float* c,
              std::ptrdiff_t c_stride) {
  for (int j = 0; j < columns; j += panel)
    tile_of(rows, std::min(panel, columns - j), transposed,
            false)({depth, a, a_stride, b + j, b_stride, c + j, c_stride, Start::zero, nullptr});
}

// to[i, s] = x[s, i]: the rows of a head transposed, and padded with the last one.
void transpose(const PackedHead& head, const float* x, float* to) {
  for (int s = 0; s < head.weight_stride(); s += lanes)
    for (int i = 0; i < head.d_k; i += lanes)
      transpose_square(x + s * head.stride + i, head.stride, to + i * head.weight_stride() + s,
                       head.weight_stride(), head.keys - s);
}

// products[t, s] = <row t of a, row s of b>, for the keys that t sees and possibly others.
void row_products(const PackedHead& head, const float* a, const float* b, float* products) {
  const int row = head.weight_stride();
  if (!is_short(head))
    return for_each_block(head, head.queries, [&](int t, int end) {
      const int keys = seen(head, end - 1);
      gemm(Cpu{}, {a + t * head.stride, end - t, head.d_k, head.stride},
           Matrix{b, keys, head.d_k, head.stride}.transpose(),
           {products + t * row, end - t, keys, row});
    });
  alignas(64) float columns[max_transposed];
  transpose(head, b, columns);
  for_each_block(head, head.queries, [&](int t, int end) {
    tiles_of(end - t, row, head.d_k, a + t * head.stride, head.stride, false, columns, row,
             products + t * row, row);
  });
}

// y[t] = the sum over the keys s that t sees of weights[t, s] x[s].
void weighted_sums(const PackedHead& head, const float* weights, const float* x, float* y) {
  const int row = head.weight_stride();
  for_each_block(head, head.queries, [&](int t, int end) {
    const float* a = weights + t * row;
    float* c = y + t * head.stride;
    const int depth = seen(head, end - 1);
    if (is_short(head))
      tiles_of(end - t, head.d_k, depth, a, row, false, x, head.stride, c, head.stride);
    else
      gemm(Cpu{}, {a, end - t, depth, row}, {x, depth, head.d_k, head.stride},
           {c, end - t, head.d_k, head.stride});
  });
}

// y[s] = the sum over the queries t that see s of weights[t, s] x[t].
void transposed_sums(const PackedHead& head, const float* weights, const float* x, float* y) {
  const int row = head.weight_stride();
  for_each_block(head, head.keys, [&](int s, int end) {
    const int first = first_to_see(head, s), depth = head.queries - first;
    const float *a = weights + first * row + s, *b = x + first * head.stride;
    float* c = y + s * head.stride;
    if (is_short(head))
      tiles_of(end - s, head.d_k, depth, a, row, true, b, head.stride, c, head.stride);
    else
      gemm(Cpu{}, Matrix{a, depth, end - s, row}.transpose(), {b, depth, head.d_k, head.stride},
           {c, end - s, head.d_k, head.stride});
  });
}

float score_scale(const PackedHead& head) { return 1 / std::sqrt(static_cast<float>(head.d_k)); }

void head_weights(const PackedHead& head, const float* q, const float* k, float* weights) {
  row_products(head, q, k, weights);
  with_constant_columns(head.weight_stride(), [&](auto columns) {
    for (int t = 0; t < head.queries; ++t) {
      float* row = weights + t * columns;
      const auto is_seen = [count = seen(head, t)](int s) { return s < count; };
      softmax_row(row, score_scale(head), is_seen, row, columns);
    }
  });
}

void head_output_backward(const PackedHead& head, const float* weights, const float* v,
                          const float* dy, float* dweights, float* dv) {
  row_products(head, dy, v, dweights);
  transposed_sums(head, weights, dy, dv);
  for (int t = 0; t < head.queries; ++t)
    std::fill(dweights + t * head.weight_stride() + seen(head, t),
              dweights + (t + 1) * head.weight_stride(), 0.0f);
}

void head_weights_backward(const PackedHead& head, const float* weights, const float* q,
                           const float* k, float* dweights, float* dq, float* dk) {
  with_constant_columns(head.weight_stride(), [&](auto columns) {
    for (int t = 0; t < head.queries; ++t) {
      float* row = dweights + t * columns;
      softmax_backward_row(weights + t * columns, row, score_scale(head), row, columns);
    }
  });
  weighted_sums(head, dweights, k, dq);
  transposed_sums(head, dweights, q, dk);
}

// Prefetches one of `parts` parts of the numbers first ... last of x.
void prefetch(const float* x, std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t part,
              int parts) {
  const std::ptrdiff_t line = 16, from = first + (last - first) * part / parts,
                       to = first + (last - first) * (part + 1) / parts;
  for (std::ptrdiff_t i = from; i < to; i += line) __builtin_prefetch(x + i, 0, 2);
}

// Calls body(head, offset of its queries, of its keys, of its weights) for every head of every
// sentence; the threads share the sentences. Meanwhile the next sentence's rows of `queries` and
// `keys` are prefetched, a part with each head, because the hardware prefetcher does not follow
// short reads of many rows.
template <class Body>
void for_each_head(const PackedHeads& all, const float* queries, const float* keys,
                   const Body& body) {
  const std::vector<int>&q = all.sentences.queries, &k = all.sentences.keys;
  const std::ptrdiff_t width = all.width;
  parallel_for(all.count(), 4, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const PackedHead head = all.head(i);
      for (std::ptrdiff_t h = 0; h < all.heads; ++h) {
        if (i + 1 < last) {
          prefetch(queries, q[at + 1] * width, q[at + 2] * width, h, all.heads);
          prefetch(keys, k[at + 1] * width, k[at + 2] * width, h, all.heads);
        }
        body(head, q[at] * width + h * head.d_k, k[at] * width + h * head.d_k,
             all.weights[at] + h * head.weight_count());
      }
    }
  });
}

void drop(const PackedHeads& heads, const PackedDropout& dropout, const float* from, float* to) {
  kernel::dropout(Cpu{}, from, dropout.rate, dropout.key, to, heads.weight_count());
}

}  // namespace

template <>
PackedSizes packed_sizes(Cpu, const PackedHeads& heads, const PackedDropout& dropout) {
  return {heads.weight_count(), dropout.key == 0 ? 0 : heads.weight_count()};
}

template <>
void attend_packed(Cpu, const PackedHeads& heads, const PackedDropout& dropout, const float* q,
                   const float* k, const float* v, float* weights, float* dropped,
                   const Output& to) {
  float* const y = to.data;
  for_each_head(heads, q, k, [&](const PackedHead& head, auto at, auto from, auto w) {
    head_weights(head, q + at, k + from, weights + w);
  });
  if (dropout.key != 0) drop(heads, dropout, weights, dropped);
  for_each_head(heads, y, v, [&](const PackedHead& head, auto at, auto from, auto w) {
    weighted_sums(head, dropped + w, v + from, y + at);
  });
}

template <>
void attend_packed_backward(Cpu, const PackedHeads& heads, const PackedDropout& dropout,
                            const PackedKept& kept, const PackedValues& x,
                            const PackedGradients& to) {
  Tensor dp = Tensor::empty({static_cast<int>(heads.weight_count())}, Device::cpu);
  float* const dweights = dp.data(Cpu{});
  for_each_head(heads, x.dy, x.v, [&](const PackedHead& head, auto at, auto from, auto w) {
    head_output_backward(head, kept.dropped + w, x.v + from, x.dy + at, dweights + w,
                         to.v.data + from);
  });
  if (dropout.key != 0) drop(heads, dropout, dweights, dweights);
  for_each_head(heads, x.q, x.k, [&](const PackedHead& head, auto at, auto from, auto w) {
    head_weights_backward(head, kept.weights + w, x.q + at, x.k + from, dweights + w,
                          to.q.data + at, to.k.data + from);
  });
}

template <>
void packed_written_out(Cpu, const PackedHeads& heads, const PackedKept& kept, const float*,
                        const float*, float* to) {
  const std::ptrdiff_t queries = heads.sentences.queries.back(), keys = heads.sentences.keys.back();
  for (std::ptrdiff_t i = 0; i < heads.count(); ++i) {
    const PackedHead head = heads.head(i);
    const auto at = static_cast<std::size_t>(i);
    const float* from = kept.weights + heads.weights[at];
    for (std::ptrdiff_t h = 0; h < heads.heads; ++h)
      for (int t = 0; t < head.queries; ++t, from += head.weight_stride())
        std::copy_n(
            from, head.keys,
            to + (h * queries + heads.sentences.queries[at] + t) * keys + heads.sentences.keys[at]);
  }
}

}  // namespace xf::kernel
