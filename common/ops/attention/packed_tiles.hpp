#pragma once

#include "cuda/each.hpp"
#include "cuda/launch.hpp"
#include "cuda/mirror.hpp"
#include "ops/attention/kernels.hpp"
#include "ops/dropout/bits.hpp"

// What forward and backward of packed attention share on a GPU: tiles of rows in shared memory, and
// products of tiles.
namespace xf::kernel {

// A block has four warps and owns 32 rows, eight per warp: queries or keys of one head of one
// sentence. It iterates over the rows of the other kind 32 at a time, one per lane. Of a head with
// more than 64 columns, a block sums only 64; the scores need all of them, in strips of 64.
constexpr int tile = 32, strip = 64, warps = 4, own_rows = tile / warps;
constexpr int strip_log2 = 6, parts = strip / cuda::warp_lanes;

// Rows in shared memory, four numbers longer than a strip: lanes that each read four numbers from
// consecutive rows find them in different banks.
struct __align__(16) Tile {
  float rows[tile][strip + 4];
};
// One number for each pair of own and other row.
struct __align__(16) Weights {
  float rows[tile][tile];
};

// The sentence boundaries, on the device. The weights of sentence i, for all heads, begin at heads
// * units[i]; only dropout needs them.
struct PackedSentences {
  const int *queries, *keys, *units;
  int count, heads, width, d_k, longest_query, longest_key;
  bool causal, by_four;  // by_four: rows are aligned to 16 bytes
  float scale;
  std::ptrdiff_t query_numbers, key_numbers;  // of all sentences: rows times width
  unsigned blocks = 0;                        // of a launch, per head of each sentence

  constexpr int strips() const { return (d_k + strip - 1) / strip; }
  // Threads that load one row of a tile: the smallest power of two that covers all columns.
  constexpr int loaders_log2() const {
    int log2 = 2;
    while (log2 < strip_log2 && (1 << log2) < d_k) ++log2;
    return log2;
  }
  // The number of columns of strip i, rounded up to a multiple of 4.
  __device__ int columns(int i) const {
    const int left = d_k - i * strip;
    return ((left < strip ? left : strip) + 3) / 4 * 4;
  }
};

template <class... Number>
PackedSentences on_device(const PackedHeads& all, bool wants_units, const Number*... x) {
  const Packing& p = all.sentences;
  std::vector<int> units;
  int longest_query = 0, longest_key = 0;
  for (std::size_t i = 0; i < all.weights.size(); ++i)
    units.push_back(static_cast<int>(all.weights[i] / all.heads));
  for (std::ptrdiff_t i = 0; i < all.count(); ++i) {
    longest_query = std::max(longest_query, all.head(i).queries);
    longest_key = std::max(longest_key, all.head(i).keys);
  }
  const int d_k = all.width / all.heads;
  return {cuda::mirrored_now(p.queries),
          cuda::mirrored_now(p.keys),
          wants_units ? cuda::mirrored_now(units) : nullptr,
          static_cast<int>(all.count()),
          all.heads,
          all.width,
          d_k,
          longest_query,
          longest_key,
          p.causal,
          d_k % 4 == 0 && cuda::begins_at_16_bytes(x...),
          1 / std::sqrt(static_cast<float>(d_k)),
          std::ptrdiff_t(p.queries.back()) * all.width,
          std::ptrdiff_t(p.keys.back()) * all.width};
}

// Rows of a head in memory: the first begins at `start`, each further one `width` numbers later.
struct Rows {
  int count;
  std::ptrdiff_t start;  // of the first row, in numbers
};

// One head of one sentence, and this block's index within it. The sentences follow one another in
// blockIdx.x, because a grid has at most 65,535 blocks in its other dimensions.
struct Head {
  int sentence, block;
  Rows queries, keys;
  std::ptrdiff_t log_sum, weight;  // of the first query
  int weight_stride;
};

__device__ inline Head head_of(const PackedSentences& all) {
  const std::ptrdiff_t h = blockIdx.y;
  const int i = static_cast<int>(blockIdx.x / all.blocks),
            block = static_cast<int>(blockIdx.x % all.blocks);
  const int query = all.queries[i], key = all.keys[i];
  const int queries = all.queries[i + 1] - query, keys = all.keys[i + 1] - key;
  const int stride = (keys + 15) / 16 * 16;
  return {i,
          block,
          {queries, std::ptrdiff_t(query) * all.width + h * all.d_k},
          {keys, std::ptrdiff_t(key) * all.width + h * all.d_k},
          h * all.queries[all.count] + query,
          all.units ? std::ptrdiff_t(all.units[i]) * all.heads + h * queries * stride : 0,
          stride};
}

// How many keys query t sees.
__device__ inline int seen_by(const PackedSentences& all, const Head& head, int t) {
  return all.causal && t + 1 < head.keys.count ? t + 1 : head.keys.count;
}

// The dropout factor of the weight of query t and key s, indexed as on the CPU.
struct PackedMask {
  DropoutMask mask;
  std::uint64_t key;
  bool used;

  explicit PackedMask(const PackedDropout& dropout)
      : mask(dropout.rate, dropout.key), key(dropout.key), used(dropout.key != 0) {}
  __device__ float factor(const Head& head, int t, int s) const {
    const auto first = static_cast<std::uint32_t>(head.weight);  // it fits: checked by the op
    return used ? mask.factor(first + static_cast<std::uint32_t>(t * head.weight_stride + s), key)
                : 1.0f;
  }
};

__device__ inline int warp_of_block() { return static_cast<int>(threadIdx.x) / cuda::warp_lanes; }

// Loads the columns of strip i of rows first, first + 1 ... of x, with 0 beyond the last one.
__device__ inline void load(const PackedSentences& all, const float* x, const Rows& rows, int first,
                            int i, Tile& to) {
  const int log2 = all.loaders_log2(), columns = all.d_k - i * strip, left = rows.count - first;
  const float* from = x + rows.start + std::ptrdiff_t(first) * all.width + i * strip;
  constexpr int threads = warps * cuda::warp_lanes;
  const int self = static_cast<int>(threadIdx.x);
  if (!all.by_four) {
    for (int n = self; n < tile << log2; n += threads) {
      const int r = n >> log2, c = n & ((1 << log2) - 1);
      to.rows[r][c] = r < left && c < columns ? from[std::ptrdiff_t(r) * all.width + c] : 0.0f;
    }
    return;
  }
  // Four numbers per load; a thread issues all loads before it waits for the first.
  constexpr int most = tile * strip / 4 / threads;
  float4 held[most];
  const int last = tile << (log2 - 2);
  for (int m = 0; m < most; ++m) {
    const int n = self + m * threads, r = n >> (log2 - 2), c = 4 * (n & ((1 << (log2 - 2)) - 1));
    held[m] = n < last && r < left && c < columns
                  ? *reinterpret_cast<const float4*>(from + std::ptrdiff_t(r) * all.width + c)
                  : float4{0, 0, 0, 0};
  }
  for (int m = 0; m < most; ++m) {
    const int n = self + m * threads, r = n >> (log2 - 2), c = 4 * (n & ((1 << (log2 - 2)) - 1));
    if (n < last) *reinterpret_cast<float4*>(&to.rows[r][c]) = held[m];
  }
}

// A lane computes four rows by two of its warp's products, own rows with the other 32: six loads
// for 32 multiplications, where single products would need two loads each. The first half of the
// warp has the first four rows, and lane l has the others l % 16 and l % 16 + 16.
constexpr int half = cuda::warp_lanes / 2, lane_rows = own_rows / 2, lane_others = tile / half;

__device__ inline int half_of_warp() { return cuda::lane_number() / half; }
__device__ inline int first_row_of_lane() {
  return warp_of_block() * own_rows + half_of_warp() * lane_rows;
}
__device__ inline int other_of_lane(int m) { return cuda::lane_number() % half + m * half; }

struct LaneProducts {
  float of[lane_rows][lane_others] = {};
};

__device__ inline void add_products(const Tile& own, const Tile& other, int columns,
                                    LaneProducts& sums) {
  const int first = first_row_of_lane();
  for (int c = 0; c < columns; c += 4) {
    float4 b[lane_others];
    for (int m = 0; m < lane_others; ++m)
      b[m] = *reinterpret_cast<const float4*>(&other.rows[other_of_lane(m)][c]);
    for (int i = 0; i < lane_rows; ++i) {
      const float4 a = *reinterpret_cast<const float4*>(&own.rows[first + i][c]);
      for (int m = 0; m < lane_others; ++m)
        sums.of[i][m] += a.x * b[m].x + a.y * b[m].y + a.z * b[m].z + a.w * b[m].w;
    }
  }
}

// Each lane has numbers for some rows of its warp; gives every lane the numbers of all rows.
__device__ inline void share(const float (&of_lane)[lane_rows], float (&all)[own_rows]) {
  for (int i = 0; i < lane_rows; ++i) {
    const float mine = of_lane[i], theirs = __shfl_xor_sync(~0u, mine, half);
    all[i] = half_of_warp() == 0 ? mine : theirs;
    all[lane_rows + i] = half_of_warp() == 0 ? theirs : mine;
  }
}

// Adds the other rows (`left` of them, at most a whole tile) to each of the warp's own rows, each
// times its weight. A lane handles every 32nd column.
__device__ inline void add_rows(const Weights& weights, const Tile& other, int left, int columns,
                                float (&sums)[own_rows][parts]) {
  const int first = warp_of_block() * own_rows, lane = cuda::lane_number();
  for (int j = 0; j < (left < tile ? left : tile); j += 4) {
    float4 x[parts] = {};
    for (int p = 0; p < parts; ++p)
      if (const int c = lane + p * cuda::warp_lanes; c < columns)
        x[p] = {other.rows[j][c], other.rows[j + 1][c], other.rows[j + 2][c], other.rows[j + 3][c]};
    for (int i = 0; i < own_rows; ++i) {
      const float4 w = *reinterpret_cast<const float4*>(&weights.rows[first + i][j]);
      for (int p = 0; p < parts; ++p)
        if (p * cuda::warp_lanes < columns)
          sums[i][p] += w.x * x[p].x + w.y * x[p].y + w.z * x[p].z + w.w * x[p].w;
    }
  }
}

// The same with the weights as columns: an own row takes its weights from its column.
__device__ inline void add_rows_by_columns(const Weights& weights, const Tile& other, int left,
                                           int columns, float (&sums)[own_rows][parts]) {
  const int first = warp_of_block() * own_rows, lane = cuda::lane_number();
  for (int j = 0; j < (left < tile ? left : tile); ++j) {
    float x[parts] = {};
    for (int p = 0; p < parts; ++p)
      if (const int c = lane + p * cuda::warp_lanes; c < columns) x[p] = other.rows[j][c];
    for (int i = 0; i < own_rows; i += 4) {
      const float4 w = *reinterpret_cast<const float4*>(&weights.rows[j][first + i]);
      for (int p = 0; p < parts; ++p) {
        if (p * cuda::warp_lanes >= columns) continue;
        sums[i][p] += w.x * x[p];
        sums[i + 1][p] += w.y * x[p];
        sums[i + 2][p] += w.z * x[p];
        sums[i + 3][p] += w.w * x[p];
      }
    }
  }
}

// Stores the warp's own rows in strip i of rows first, first + 1 ... of y.
__device__ inline void store(const PackedSentences& all, const float (&sums)[own_rows][parts],
                             const Rows& rows, int first, int i, float* y) {
  const int own = first + warp_of_block() * own_rows, lane = cuda::lane_number();
  for (int r = 0; r < own_rows; ++r)
    for (int p = 0; p < parts; ++p) {
      const int c = i * strip + lane + p * cuda::warp_lanes;
      if (own + r < rows.count && c < all.d_k)
        y[rows.start + std::ptrdiff_t(own + r) * all.width + c] = sums[r][p];
    }
}

// For query t and key s: the weight after dropout, P', and the gradient of the score, dS.
struct Pair {
  float weight, score_gradient;
};
// `r` is the index of the query in `log_sums` and in `dots`, which holds <dy, y>.
__device__ inline Pair pair_of(const PackedSentences& all, const Head& head, const PackedMask& mask,
                               int t, int s, float score, float product, const float* log_sums,
                               const float* dots, int r) {
  if (t >= head.queries.count || s >= seen_by(all, head, t)) return {0, 0};
  const float p = expf(all.scale * score - log_sums[r]), factor = mask.factor(head, t, s);
  return {p * factor, all.scale * p * (product * factor - dots[r])};
}

struct ForBackward {
  const float *q, *k, *v, *y, *dy, *log_sums;
};

// Tensor cores need heads that consist of whole fragments and fit in one strip.
inline bool fits_cores(const PackedSentences& all) {
  return all.by_four && all.d_k % 16 == 0 && all.d_k <= strip;
}
// Run on tensor cores if they support the product precision and the heads fit; else return false.
bool forward_on_cores(const PackedSentences& all, const PackedMask& mask, const float* q,
                      const float* k, const float* v, float* log_sums, const Output& y);
bool backward_on_cores(const PackedSentences& all, const ForBackward& in, const PackedMask& mask,
                       const PackedGradients& to);

// As many blocks of `threads` threads as the longest sentence needs, for every head of every
// sentence.
inline cuda::Launch launch_for(const char* kernel, PackedSentences& all, unsigned blocks,
                               int threads, std::size_t shared_bytes = 0) {
  all.blocks = blocks;
  return {kernel, dim3(blocks * static_cast<unsigned>(all.count), static_cast<unsigned>(all.heads)),
          static_cast<unsigned>(threads), shared_bytes};
}
inline unsigned tiles_for(const PackedSentences& all, int rows) {
  return cuda::blocks_for(rows, tile) * static_cast<unsigned>(all.strips());
}

}  // namespace xf::kernel
