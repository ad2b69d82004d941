#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "ops/attention/kernels.hpp"
#include "ops/softmax/row.hpp"
#include "tensor/parallel.hpp"
#include "tensor/tensor.hpp"
#include "tensor/vectors.hpp"

namespace xf::kernel {

namespace {

// Prefetches the numbers of the next head in the same row.
template <int constant>
void prefetch_next(const float* x) {
  for (int c = constant; c < 2 * constant; c += lanes16) __builtin_prefetch(x + c);
}

// One head. The usual head sizes are compile-time constants, so that the sums stay in registers.
// Four rows at a time: if fewer are left, the last one is repeated with weight 0.
template <int constant>
void attend(const float* q, const float* keys, const float* values, std::span<const int> seen,
            std::ptrdiff_t width, float* scores, float* y) {
  const int count = static_cast<int>(seen.size());
  const auto row = [&](const float* rows, int j) {
    const float* x = rows + seen[static_cast<std::size_t>(std::min(j, count - 1))] * width;
    prefetch_next<constant>(x);
    return x;
  };
  for (int j = 0; j < count; j += 4) {
    const float* four[4] = {row(keys, j), row(keys, j + 1), row(keys, j + 2), row(keys, j + 3)};
    Sixteen sums[4] = {};
    for (int c = 0; c < constant; c += lanes16)
      for (int i = 0; i < 4; ++i) sums[i].add_products(q + c, four[i] + c);
    const Quarter products = sums_of(sums);
    std::memcpy(scores + j, &products, sizeof products);
  }
  const int padded = (count + lanes16 - 1) / lanes16 * lanes16;
  std::fill(scores + count, scores + padded, std::numeric_limits<float>::lowest());
  softmax_row(scores, 1 / std::sqrt(static_cast<float>(constant)), padded);
  constexpr int all = constant / lanes16, at_once = lanes == 16 ? all : 1;  // as registers allow
  for (int first = 0; first < all; first += at_once) {
    Sixteen sums[4][at_once] = {};
    for (int j = 0; j < count; j += 4)
      for (int i = 0; i < 4; ++i) {
        const float* x = row(values, j + i) + first * lanes16;
        for (int c = 0; c < at_once; ++c) sums[i][c].add_products(scores[j + i], x + c * lanes16);
      }
    for (int c = 0; c < at_once; ++c) {
      sums[0][c] += sums[1][c];
      sums[2][c] += sums[3][c];
      sums[0][c] += sums[2][c];
      std::memcpy(y + (first + c) * lanes16, &sums[0][c], sizeof sums[0][c]);
    }
  }
}

// The same for any size.
void attend_any(const float* q, const float* keys, const float* values, std::span<const int> seen,
                std::ptrdiff_t width, int d_k, float* scores, float* y) {
  float* score = scores;
  for (int row : seen) {
    const float* const key = keys + row * width;
    *score++ = sum_over(d_k, [=](std::ptrdiff_t i) { return q[i] * key[i]; });
  }
  softmax_row(scores, 1 / std::sqrt(static_cast<float>(d_k)), static_cast<int>(seen.size()));
  std::fill_n(y, d_k, 0.0f);
  score = scores;
  for (int row : seen) {
    const float weight = *score++;
#pragma omp simd
    for (int i = 0; i < d_k; ++i) y[i] += weight * values[row * width + i];
  }
}

// Head h of query b. Unless null, `weights` (B, H, longest) receives its weights, too.
void attend_head(const RowAttention& rows, std::ptrdiff_t b, std::ptrdiff_t h, float* scores,
                 float* weights, std::ptrdiff_t longest, float* y) {
  const std::vector<int>& seen = rows.seen[static_cast<std::size_t>(b)];
  const int d_k = rows.d_k;
  const std::ptrdiff_t width = std::ptrdiff_t(rows.heads) * d_k, at = b * width + h * d_k;
  const float *q = rows.q + at, *keys = rows.keys + h * d_k, *values = rows.values + h * d_k;
  if (d_k == 32)
    attend<32>(q, keys, values, seen, width, scores, y + at);
  else if (d_k == 64)
    attend<64>(q, keys, values, seen, width, scores, y + at);
  else
    attend_any(q, keys, values, seen, width, d_k, scores, y + at);
  if (weights) std::copy_n(scores, seen.size(), weights + (b * rows.heads + h) * longest);
}

}  // namespace

template <>
void attend_rows(Cpu, const RowAttention& rows, float* weights, float* y) {
  const auto longest = static_cast<std::ptrdiff_t>(rows.longest());
  const auto count = static_cast<std::ptrdiff_t>(rows.seen.size());
  const std::ptrdiff_t all = count * rows.heads;
  const std::ptrdiff_t grain = std::max<std::ptrdiff_t>(1, (1 << 15) / (rows.d_k * longest + 1));
  if (weights) std::fill_n(weights, all * longest, 0.0f);
  // Few queries with long lists: a thread processes one head of all of them, then the next, so that
  // the head's keys stay in its cache. Many queries: all heads of one, whose numbers are adjacent.
  const bool by_heads = count < 4 * threads();
  parallel_for(all, grain, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    Tensor scores = Tensor::empty({static_cast<int>(longest) + lanes16}, Device::cpu);
    for (std::ptrdiff_t i = first; i < last; ++i) {
      const std::ptrdiff_t b = by_heads ? i % count : i / rows.heads,
                           h = by_heads ? i / count : i % rows.heads;
      attend_head(rows, b, h, scores.data(Cpu{}), weights, longest, y);
    }
  });
}

}  // namespace xf::kernel
