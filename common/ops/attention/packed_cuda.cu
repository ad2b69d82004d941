#include "cuda/each.hpp"
#include "cuda/launch.hpp"
#include "cuda/mirror.hpp"
#include "ops/attention/kernels.hpp"
#include "ops/dropout/bits.hpp"

namespace xf::kernel {

namespace {

// A block has four warps and 32 rows of its own, eight for each warp: queries of one head of one
// sentence, or keys of it. It goes through the rows of the other kind 32 at a time, one a lane. Of
// a head with more than 64 columns it sums 64; the scores need all of them, in strips of 64.
constexpr int tile = 32, strip = 64, warps = 4, own_rows = tile / warps;
constexpr int strip_log2 = 6, parts = strip / cuda::warp_lanes;

// Rows of shared memory, four numbers longer than a strip: lanes that read four numbers each of
// rows that follow one another find them in different banks.
struct __align__(16) Tile {
  float rows[tile][strip + 4];
};
// For each own row a number for each other one.
struct __align__(16) Weights {
  float rows[tile][tile];
};

// Where the sentences begin, on the device. The weights of sentence i, those of all heads, begin
// at heads * units[i]; only dropout asks for them.
struct Sentences {
  const int *queries, *keys, *units;
  int count, heads, width, d_k, longest_query, longest_key;
  bool causal, by_four;  // all rows begin at multiples of 16 bytes
  float scale;

  constexpr int strips() const { return (d_k + strip - 1) / strip; }
  // Threads that load one row of a tile: the power of two that has a place for each column.
  constexpr int loaders_log2() const {
    int log2 = 2;
    while (log2 < strip_log2 && (1 << log2) < d_k) ++log2;
    return log2;
  }
  // How many columns strip i has, filled up to a multiple of 4.
  __device__ int columns(int i) const {
    const int left = d_k - i * strip;
    return ((left < strip ? left : strip) + 3) / 4 * 4;
  }
};

template <class... Number>
Sentences on_device(const PackedHeads& all, bool wants_units, const Number*... x) {
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
          1 / std::sqrt(static_cast<float>(d_k))};
}

// Rows of a head in memory: the first begins at `data`, the next `width` numbers later.
struct Rows {
  int count;
  std::ptrdiff_t start;  // of the first, in numbers
};

// One head of one sentence: blockIdx.y and blockIdx.z say which.
struct Head {
  Rows queries, keys;
  std::ptrdiff_t log_sum, weight;  // of the first query
  int weight_stride;
};

__device__ Head head_of(const Sentences& all) {
  const std::ptrdiff_t h = blockIdx.y, i = blockIdx.z;
  const int query = all.queries[i], key = all.keys[i];
  const int queries = all.queries[i + 1] - query, keys = all.keys[i + 1] - key;
  const int stride = (keys + 15) / 16 * 16;
  return {{queries, std::ptrdiff_t(query) * all.width + h * all.d_k},
          {keys, std::ptrdiff_t(key) * all.width + h * all.d_k},
          h * all.queries[all.count] + query,
          all.units ? std::ptrdiff_t(all.units[i]) * all.heads + h * queries * stride : 0,
          stride};
}

// How many keys query t sees.
__device__ int seen_by(const Sentences& all, const Head& head, int t) {
  return all.causal && t + 1 < head.keys.count ? t + 1 : head.keys.count;
}

// What dropout multiplies the weight of query t and key s by: it goes by where the CPU keeps it.
struct PackedMask {
  DropoutMask mask;
  bool used;

  explicit PackedMask(const PackedDropout& dropout)
      : mask(dropout.rate, dropout.key), used(dropout.key != 0) {}
  __device__ float factor(const Head& head, int t, int s) const {
    return used ? mask.factor(head.weight + std::ptrdiff_t(t) * head.weight_stride + s) : 1.0f;
  }
};

__device__ int warp_of_block() { return static_cast<int>(threadIdx.x) / cuda::warp_lanes; }

// The columns of strip i of rows first, first + 1 ... of x; 0 where there are none.
__device__ void load(const Sentences& all, const float* x, const Rows& rows, int first, int i,
                     Tile& to) {
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
  // Four numbers at once, and all of a thread's on their way before it waits for the first.
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

// Adds the products of each of the warp's own rows with the lane's row of the others.
__device__ void add_products(const Tile& own, const Tile& other, int columns,
                             float (&sums)[own_rows]) {
  const int first = warp_of_block() * own_rows;
  for (int c = 0; c < columns; c += 4) {
    const float4 b = *reinterpret_cast<const float4*>(&other.rows[cuda::lane_number()][c]);
    for (int i = 0; i < own_rows; ++i) {
      const float4 a = *reinterpret_cast<const float4*>(&own.rows[first + i][c]);
      sums[i] += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
  }
}

// Adds to each of the warp's own rows the others, of which `left` or a whole tile are there, each
// times its weight. A lane has every 32nd column.
__device__ void add_rows(const Weights& weights, const Tile& other, int left, int columns,
                         float (&sums)[own_rows][parts]) {
  const int first = warp_of_block() * own_rows, lane = cuda::lane_number();
  for (int j = 0; j < (left < tile ? left : tile); j += 4)
    for (int p = 0; p < parts; ++p) {
      const int c = lane + p * cuda::warp_lanes;
      if (c >= columns) continue;
      const float x0 = other.rows[j][c], x1 = other.rows[j + 1][c], x2 = other.rows[j + 2][c],
                  x3 = other.rows[j + 3][c];
      for (int i = 0; i < own_rows; ++i) {
        const float4 w = *reinterpret_cast<const float4*>(&weights.rows[first + i][j]);
        sums[i][p] += w.x * x0 + w.y * x1 + w.z * x2 + w.w * x3;
      }
    }
}

// The same with the weights as columns: each row of the others with its weight in the own column.
__device__ void add_rows_by_columns(const Weights& weights, const Tile& other, int left,
                                    int columns, float (&sums)[own_rows][parts]) {
  const int first = warp_of_block() * own_rows, lane = cuda::lane_number();
  for (int j = 0; j < (left < tile ? left : tile); ++j)
    for (int p = 0; p < parts; ++p) {
      const int c = lane + p * cuda::warp_lanes;
      if (c >= columns) continue;
      const float x = other.rows[j][c];
      for (int i = 0; i < own_rows; i += 4) {
        const float4 w = *reinterpret_cast<const float4*>(&weights.rows[j][first + i]);
        sums[i][p] += w.x * x;
        sums[i + 1][p] += w.y * x;
        sums[i + 2][p] += w.z * x;
        sums[i + 3][p] += w.w * x;
      }
    }
}

// The warp's own rows to strip i of rows first, first + 1 ... of y.
__device__ void store(const Sentences& all, const float (&sums)[own_rows][parts], const Rows& rows,
                      int first, int i, float* y) {
  const int own = first + warp_of_block() * own_rows, lane = cuda::lane_number();
  for (int r = 0; r < own_rows; ++r)
    for (int p = 0; p < parts; ++p) {
      const int c = i * strip + lane + p * cuda::warp_lanes;
      if (own + r < rows.count && c < all.d_k)
        y[rows.start + std::ptrdiff_t(own + r) * all.width + c] = sums[r][p];
    }
}

// ---- forward ------------------------------------------------------------------------------------

struct Forward {
  Tile q, k, v;
  Weights weights;
};

// Softmax and sum in one pass (the page on the GPU has the equations): a row keeps the largest
// score so far, the sum of the exponentials, and the sum of the values. What backward needs of them
// is log_sum = log(sum of e^score): a weight is e^(score - log_sum).
__global__ void attend_tiles(Sentences all, const float* q, const float* k, const float* v,
                             PackedMask mask, float* log_sums, float* y) {
  Forward& tiles = *cuda::dynamic_shared<Forward>();
  const Head head = head_of(all);
  const int strips = all.strips(), first = static_cast<int>(blockIdx.x) / strips * tile,
            own_strip = static_cast<int>(blockIdx.x) % strips;
  if (first >= head.queries.count) return;
  const int own = warp_of_block() * own_rows, lane = cuda::lane_number();
  const int end = seen_by(all, head, first + tile - 1);
  float top[own_rows], sum[own_rows], out[own_rows][parts] = {};
  for (int i = 0; i < own_rows; ++i) top[i] = -INFINITY, sum[i] = 0;
  for (int other = 0; other < end; other += tile) {
    float scores[own_rows] = {};
    for (int n = 1; n <= strips; ++n) {  // the strip of v that is summed comes last
      const int strip_now = (own_strip + n) % strips;
      __syncthreads();  // everybody is done with the tiles
      if (other == 0 || strips > 1) load(all, q, head.queries, first, strip_now, tiles.q);
      load(all, k, head.keys, other, strip_now, tiles.k);
      if (n == strips) load(all, v, head.keys, other, strip_now, tiles.v);
      __syncthreads();  // they are there
      add_products(tiles.q, tiles.k, all.columns(strip_now), scores);
    }
    for (int i = 0; i < own_rows; ++i) {
      const int t = first + own + i, s = other + lane;
      float weight = 0;
      if (t < head.queries.count) {
        const bool is_seen = s < seen_by(all, head, t);
        const float score = is_seen ? all.scale * scores[i] : -INFINITY;
        const float higher = fmaxf(top[i], cuda::warp_max(score));
        const float shrink = expf(top[i] - higher);
        weight = is_seen ? expf(score - higher) : 0.0f;
        top[i] = higher;
        sum[i] = sum[i] * shrink + cuda::warp_sum(weight);
        for (float& number : out[i]) number *= shrink;
        if (is_seen) weight *= mask.factor(head, t, s);
      }
      tiles.weights.rows[own + i][lane] = weight;
    }
    __syncwarp();  // the other lanes' weights are there
    add_rows(tiles.weights, tiles.v, end - other, all.columns(own_strip), out);
  }
  for (int i = 0; i < own_rows; ++i) {
    const int t = first + own + i;
    if (own_strip == 0 && lane == 0 && t < head.queries.count)
      log_sums[head.log_sum + t] = top[i] + logf(sum[i]);
    for (float& number : out[i]) number = sum[i] == 0 ? 0 : number / sum[i];
  }
  store(all, out, head.queries, first, own_strip, y);
}

// ---- backward -----------------------------------------------------------------------------------

struct ForBackward {
  const float *q, *k, *v, *y, *dy, *log_sums;
};
struct Backward {
  Tile own_first, own_second, other_first, other_second;  // of queries: q, dy; of keys: k, v
  Weights weights, score_gradients;
  float log_sums[tile], dots[tile];  // of the queries
};

// What belongs to the rows of one kind.
struct Side {
  Rows rows;
  const float *first, *second;
};

// <dy, y> of the warp's share of the tile's queries, which is what the gradients of a query's
// weights sum up to, each times its weight; and their log_sums.
__device__ void dots_of_queries(const Sentences& all, const Head& head, const ForBackward& in,
                                int first, Backward& tiles) {
  for (int i = 0; i < own_rows; ++i) {
    const int r = warp_of_block() * own_rows + i, t = first + r;
    if (t >= head.queries.count) break;
    const std::ptrdiff_t start = head.queries.start + std::ptrdiff_t(t) * all.width;
    float sum = 0;
    for (int c = cuda::lane_number(); c < all.d_k; c += cuda::warp_lanes)
      sum += in.dy[start + c] * in.y[start + c];
    sum = cuda::warp_sum(sum);
    if (cuda::lane_number() == 0) {
      tiles.dots[r] = sum;
      tiles.log_sums[r] = in.log_sums[head.log_sum + t];
    }
  }
}

// What query t has of key s: the weight after dropout, P', and the gradient of the score, dS.
struct Pair {
  float weight, score_gradient;
};
// `r` is the query in its tile.
__device__ Pair pair_of(const Sentences& all, const Head& head, const PackedMask& mask, int t,
                        int s, float score, float product, const Backward& tiles, int r) {
  if (t >= head.queries.count || s >= seen_by(all, head, t)) return {0, 0};
  const float p = expf(all.scale * score - tiles.log_sums[r]), factor = mask.factor(head, t, s);
  return {p * factor, all.scale * p * (product * factor - tiles.dots[r])};
}

// Backward of a sentence that is one tile of queries and one of keys: one block does all of it.
__device__ void backward_of_one_tile(const Sentences& all, const Head& head, const ForBackward& in,
                                     const PackedMask& mask, Backward& tiles, float* dq, float* dk,
                                     float* dv) {
  load(all, in.q, head.queries, 0, 0, tiles.own_first);
  load(all, in.dy, head.queries, 0, 0, tiles.own_second);
  load(all, in.k, head.keys, 0, 0, tiles.other_first);
  load(all, in.v, head.keys, 0, 0, tiles.other_second);
  dots_of_queries(all, head, in, 0, tiles);
  __syncthreads();  // they are there
  const int columns = all.columns(0), own = warp_of_block() * own_rows, lane = cuda::lane_number();
  float scores[own_rows] = {}, products[own_rows] = {};
  add_products(tiles.own_first, tiles.other_first, columns, scores);
  add_products(tiles.own_second, tiles.other_second, columns, products);
  for (int i = 0; i < own_rows; ++i) {
    const int t = own + i;
    const Pair pair = pair_of(all, head, mask, t, lane, scores[i], products[i], tiles, t);
    tiles.weights.rows[t][lane] = pair.weight;
    tiles.score_gradients.rows[t][lane] = pair.score_gradient;
  }
  __syncthreads();  // all weights are there
  float of_q[own_rows][parts] = {}, of_k[own_rows][parts] = {}, of_v[own_rows][parts] = {};
  add_rows(tiles.score_gradients, tiles.other_first, head.keys.count, columns, of_q);
  add_rows_by_columns(tiles.score_gradients, tiles.own_first, head.queries.count, columns, of_k);
  add_rows_by_columns(tiles.weights, tiles.own_second, head.queries.count, columns, of_v);
  store(all, of_q, head.queries, 0, 0, dq);
  store(all, of_k, head.keys, 0, 0, dk);
  store(all, of_v, head.keys, 0, 0, dv);
}

// With P computed again from the scores, P' = dropout(P) and dP' = dy v^T, a block of queries sums
// dq = dS k, and a block of keys dk = dS^T q and dv = P'^T dy, where
// dS = scale P (dropout(dP') - <dy, y>).
__global__ void attend_tiles_backward(Sentences all, ForBackward in, PackedMask mask, float* dq,
                                      float* dk, float* dv) {
  Backward& tiles = *cuda::dynamic_shared<Backward>();
  const Head head = head_of(all);
  const int strips = all.strips(), own_strip = static_cast<int>(blockIdx.x) % strips;
  if (strips == 1 && head.queries.count <= tile && head.keys.count <= tile) {
    if (blockIdx.x == 0) backward_of_one_tile(all, head, in, mask, tiles, dq, dk, dv);
    return;
  }
  const int number = static_cast<int>(blockIdx.x) / strips,
            of_queries = (all.longest_query + tile - 1) / tile;
  const bool owns_queries = number < of_queries;
  const Side queries{head.queries, in.q, in.dy}, keys{head.keys, in.k, in.v};
  const Side &mine = owns_queries ? queries : keys, &theirs = owns_queries ? keys : queries;
  const int first = (owns_queries ? number : number - of_queries) * tile;
  if (first >= mine.rows.count) return;
  const int own = warp_of_block() * own_rows, lane = cuda::lane_number();
  const int begin = owns_queries || !all.causal ? 0 : first,
            end = owns_queries ? seen_by(all, head, first + tile - 1) : theirs.rows.count;
  float by_score[own_rows][parts] = {}, by_weight[own_rows][parts] = {};
  for (int other = begin; other < end; other += tile) {
    float scores[own_rows] = {}, products[own_rows] = {};
    for (int n = 1; n <= strips; ++n) {  // the strip that is summed comes last
      const int strip_now = (own_strip + n) % strips;
      __syncthreads();  // everybody is done with the tiles
      if (other == begin || strips > 1) {
        load(all, mine.first, mine.rows, first, strip_now, tiles.own_first);
        load(all, mine.second, mine.rows, first, strip_now, tiles.own_second);
      }
      load(all, theirs.first, theirs.rows, other, strip_now, tiles.other_first);
      load(all, theirs.second, theirs.rows, other, strip_now, tiles.other_second);
      if (n == strips && (other == begin || !owns_queries))
        dots_of_queries(all, head, in, owns_queries ? first : other, tiles);
      __syncthreads();  // they are there
      add_products(tiles.own_first, tiles.other_first, all.columns(strip_now), scores);
      add_products(tiles.own_second, tiles.other_second, all.columns(strip_now), products);
    }
    for (int i = 0; i < own_rows; ++i) {
      const int r = owns_queries ? own + i : lane;  // of the query, in its tile
      const int t = owns_queries ? first + r : other + r,
                s = owns_queries ? other + lane : first + own + i;
      const Pair pair = pair_of(all, head, mask, t, s, scores[i], products[i], tiles, r);
      tiles.weights.rows[own + i][lane] = pair.weight;
      tiles.score_gradients.rows[own + i][lane] = pair.score_gradient;
    }
    __syncwarp();  // the other lanes' weights are there
    const int columns = all.columns(own_strip), left = end - other;
    add_rows(tiles.score_gradients, tiles.other_first, left, columns, by_score);
    if (!owns_queries) add_rows(tiles.weights, tiles.other_second, left, columns, by_weight);
  }
  store(all, by_score, mine.rows, first, own_strip, owns_queries ? dq : dk);
  if (!owns_queries) store(all, by_weight, mine.rows, first, own_strip, dv);
}

// ---- the weights themselves ---------------------------------------------------------------------

// One thread per weight, to (H, N, M).
__global__ void write_out(Sentences all, const float* q, const float* k, const float* log_sums,
                          float* to) {
  const Head head = head_of(all);
  const std::ptrdiff_t n = cuda::thread_number();
  if (n >= std::ptrdiff_t(head.queries.count) * head.keys.count) return;
  const int t = static_cast<int>(n / head.keys.count), s = static_cast<int>(n % head.keys.count);
  if (s >= seen_by(all, head, t)) return;
  const float *query = q + head.queries.start + std::ptrdiff_t(t) * all.width,
              *key = k + head.keys.start + std::ptrdiff_t(s) * all.width;
  float score = 0;
  for (int c = 0; c < all.d_k; ++c) score += query[c] * key[c];
  const std::ptrdiff_t row = head.log_sum + t;
  to[row * all.keys[all.count] + all.keys[blockIdx.z] + s] =
      expf(all.scale * score - log_sums[row]);
}

// A block of `threads` for each number of blocks that the longest sentence needs, in every head of
// every sentence.
cuda::Launch launch_for(const char* kernel, const Sentences& all, unsigned blocks, int threads,
                        std::size_t shared_bytes = 0) {
  return {kernel, dim3(blocks, static_cast<unsigned>(all.heads), static_cast<unsigned>(all.count)),
          static_cast<unsigned>(threads), shared_bytes};
}
unsigned tiles_for(const Sentences& all, int rows) {
  return cuda::blocks_for(rows, tile) * static_cast<unsigned>(all.strips());
}

}  // namespace

template <>
PackedSizes packed_sizes(Cuda, const PackedHeads& heads, const PackedDropout&) {
  return {std::ptrdiff_t(heads.heads) * heads.sentences.queries.back(), 0};
}

template <>
void attend_packed(Cuda, const PackedHeads& heads, const PackedDropout& dropout, const float* q,
                   const float* k, const float* v, float* log_sums, float*, float* y) {
  const Sentences all = on_device(heads, dropout.key != 0, q, k, v);
  cuda::launch(launch_for("attend_tiles", all, tiles_for(all, all.longest_query),
                          warps * cuda::warp_lanes, sizeof(Forward)),
               attend_tiles, all, q, k, v, PackedMask(dropout), log_sums, y);
}

template <>
void attend_packed_backward(Cuda, const PackedHeads& heads, const PackedDropout& dropout,
                            const PackedKept& kept, const PackedValues& x,
                            const PackedGradients& to) {
  const Sentences all = on_device(heads, dropout.key != 0, x.q, x.k, x.v, x.dy);
  const ForBackward in{x.q, x.k, x.v, x.y, x.dy, kept.weights};
  cuda::launch(launch_for("attend_tiles_backward", all,
                          tiles_for(all, all.longest_query) + tiles_for(all, all.longest_key),
                          warps * cuda::warp_lanes, sizeof(Backward)),
               attend_tiles_backward, all, in, PackedMask(dropout), to.q, to.k, to.v);
}

template <>
void packed_written_out(Cuda, const PackedHeads& heads, const PackedKept& kept, const float* q,
                        const float* k, float* to) {
  const Sentences all = on_device(heads, false);
  const std::ptrdiff_t most = std::ptrdiff_t(all.longest_query) * all.longest_key;
  cuda::launch(launch_for("write_out", all, cuda::blocks_for(most, cuda::block_threads),
                          cuda::block_threads),
               write_out, all, q, k, kept.weights, to);
}

}  // namespace xf::kernel
