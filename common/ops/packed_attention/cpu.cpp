#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops/matmul/gemm.hpp"
#include "ops/matmul/lanes.hpp"
#include "ops/packed_attention/kernels.hpp"
#include "ops/softmax/row.hpp"

namespace xf::kernel {

namespace {

// Calls body with the size of a head as a constant where it is a usual one, so that its loops
// become straight vector code; with 0 otherwise.
template <class Body>
void with_head_size(int d_k, const Body& body) {
  switch (d_k) {
    case 32:
      return body(std::integral_constant<int, 32>{});
    case 64:
      return body(std::integral_constant<int, 64>{});
    default:
      return body(std::integral_constant<int, 0>{});
  }
}

// How many keys query t sees.
int seen(const Head& head, int t) { return head.causal ? std::min(t + 1, head.keys) : head.keys; }

// The first query that sees key s.
int first_to_see(const Head& head, int s) { return head.causal ? std::min(s, head.queries) : 0; }

// From here on a general product is faster than sums in registers, row by row.
bool is_long(const Head& head) { return std::min(head.queries, head.keys) >= 32; }

// Calls body(first, count) for blocks of `rows` rows: all at once, or with `causal` as many as
// waste little work above the diagonal.
template <class Body>
void for_each_block(const Head& head, int rows, const Body& body) {
  const int step = head.causal ? 64 : rows;
  for (int first = 0; first < rows; first += step) body(first, std::min(step, rows - first));
}

Matrix rows_of(const Head& head, const float* x, bool transposed = false) {
  return {x, static_cast<int>(head.stride), transposed};
}

// <x, row s of b> for the `count` first rows of b, 4 at a time.
template <int constant>
void products_of(const float* x, int d_k, int count, const float* b, std::ptrdiff_t stride,
                 float* products) {
  if constexpr (constant == 0) {
    for (int s = 0; s < count; ++s) {
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int i = 0; i < d_k; ++i) sum += x[i] * b[s * stride + i];
      products[s] = sum;
    }
  } else {
    for (int s = 0; s < count; s += 4) {
      const float* rows[4];
      for (int i = 0; i < 4; ++i) rows[i] = b + std::min(s + i, count - 1) * stride;
      Vector16 sums[4] = {};
      for (int c = 0; c < constant; c += lanes16)
        for (int i = 0; i < 4; ++i) sums[i] += load16(x + c) * load16(rows[i] + c);
      const Quarter four = sums_of(sums);
      for (int i = 0; i < std::min(4, count - s); ++i) products[s + i] = four[i];
    }
  }
}

// products[t, s] = <row t of a, row s of b>, for the keys that t sees.
template <int constant>
void row_products(const Head& head, const float* a, const float* b, float* products) {
  if (is_long(head))
    return for_each_block(head, head.queries, [&](int t, int count) {
      gemm(Cpu{}, count, seen(head, t + count - 1), head.d_k, rows_of(head, a + t * head.stride),
           rows_of(head, b, true), products + t * head.keys, head.keys, false);
    });
  for (int t = 0; t < head.queries; ++t)
    products_of<constant>(a + t * head.stride, head.d_k, seen(head, t), b, head.stride,
                          products + t * head.keys);
}

// y = the sum over n < count of weights[n step] x[n], rows `stride` apart.
template <int constant>
void weighted_sum(int d_k, int count, const float* weights, std::ptrdiff_t step, const float* x,
                  std::ptrdiff_t stride, float* y) {
  if constexpr (constant == 0) {
    std::fill_n(y, d_k, 0.0f);
    for (int n = 0; n < count; ++n) {
      const float weight = weights[n * step], *from = x + n * stride;
#pragma omp simd
      for (int i = 0; i < d_k; ++i) y[i] += weight * from[i];
    }
  } else {
    constexpr int vectors = constant / lanes16;
    Vector16 sums[vectors] = {};
    for (int n = 0; n < count; ++n)
      for (int c = 0; c < vectors; ++c)
        sums[c] += weights[n * step] * load16(x + n * stride + c * lanes16);
    std::memcpy(y, sums, sizeof sums);
  }
}

// y[t] = the sum over the keys s that t sees of weights[t, s] x[s].
template <int constant>
void weighted_sums(const Head& head, const float* weights, const float* x, float* y) {
  if (is_long(head))
    return for_each_block(head, head.queries, [&](int t, int count) {
      gemm(Cpu{}, count, head.d_k, seen(head, t + count - 1), {weights + t * head.keys, head.keys},
           rows_of(head, x), y + t * head.stride, static_cast<int>(head.stride), false);
    });
  for (int t = 0; t < head.queries; ++t)
    weighted_sum<constant>(head.d_k, seen(head, t), weights + t * head.keys, 1, x, head.stride,
                           y + t * head.stride);
}

// y[s] = the sum over the queries t that see s of weights[t, s] x[t].
template <int constant>
void transposed_sums(const Head& head, const float* weights, const float* x, float* y) {
  if (is_long(head))
    return for_each_block(head, head.keys, [&](int s, int count) {
      const int first = first_to_see(head, s);
      gemm(Cpu{}, count, head.d_k, head.queries - first,
           {weights + first * head.keys + s, head.keys, true},
           rows_of(head, x + first * head.stride), y + s * head.stride,
           static_cast<int>(head.stride), false);
    });
  for (int s = 0; s < head.keys; ++s) {
    const int first = first_to_see(head, s);
    weighted_sum<constant>(head.d_k, head.queries - first, weights + first * head.keys + s,
                           head.keys, x + first * head.stride, head.stride, y + s * head.stride);
  }
}

float score_scale(const Head& head) { return 1 / std::sqrt(static_cast<float>(head.d_k)); }

}  // namespace

void head_weights(Cpu, const Head& head, const float* q, const float* k, float* weights) {
  with_head_size(head.d_k, [&](auto size) { row_products<size()>(head, q, k, weights); });
  for (int t = 0; t < head.queries; ++t) {
    float* row = weights + t * head.keys;
    const int count = seen(head, t);  // of the keys, the first ones; the others get 0
    softmax_row(row, score_scale(head), count);
    std::fill(row + count, row + head.keys, 0.0f);
  }
}

void head_output(Cpu, const Head& head, const float* weights, const float* v, float* y) {
  with_head_size(head.d_k, [&](auto size) { weighted_sums<size()>(head, weights, v, y); });
}

void head_output_backward(Cpu, const Head& head, const float* weights, const float* v,
                          const float* dy, float* dweights, float* dv) {
  with_head_size(head.d_k, [&](auto size) {
    row_products<size()>(head, dy, v, dweights);
    transposed_sums<size()>(head, weights, dy, dv);
  });
  for (int t = 0; t < head.queries; ++t)
    std::fill(dweights + t * head.keys + seen(head, t), dweights + (t + 1) * head.keys, 0.0f);
}

void head_weights_backward(Cpu, const Head& head, const float* weights, const float* q,
                           const float* k, float* dweights, float* dq, float* dk) {
  const float scale = score_scale(head);
  for (int t = 0; t < head.queries; ++t) {
    const float* p = weights + t * head.keys;
    float *dp = dweights + t * head.keys, dot = 0;
#pragma omp simd reduction(+ : dot)
    for (int s = 0; s < head.keys; ++s) dot += p[s] * dp[s];
    for (int s = 0; s < head.keys; ++s) dp[s] = scale * p[s] * (dp[s] - dot);
  }
  with_head_size(head.d_k, [&](auto size) {
    weighted_sums<size()>(head, dweights, k, dq);
    transposed_sums<size()>(head, dweights, q, dk);
  });
}

}  // namespace xf::kernel
