#include "ops/attention/packed_tiles.hpp"

namespace xf::kernel {

namespace {

struct Backward {
  Tile own_first, own_second, other_first, other_second;  // for queries: q, dy; for keys: k, v
  Weights weights, score_gradients;
  float log_sums[tile], dots[tile];  // of the queries
};

// The rows of one side, queries or keys, and the two matrices that they belong to.
struct Side {
  Rows rows;
  const float *first, *second;
};

// Selects one of two, member by member: a pointer or reference would force both out of registers
// into memory.
__device__ Side chosen(bool first, const Side& a, const Side& b) {
  return {{first ? a.rows.count : b.rows.count, first ? a.rows.start : b.rows.start},
          first ? a.first : b.first,
          first ? a.second : b.second};
}

// For the warp's share of the tile's queries: <dy, y>, which equals the sum over a query's weights
// of weight times gradient; and log_sums.
__device__ void dots_of_queries(const PackedSentences& all, const Head& head, const ForBackward& in,
                                int first, Backward& tiles) {
  const int own = warp_of_block() * own_rows, lane = cuda::lane_number();
  float sums[own_rows] = {};
  for (int c = lane; c < all.d_k; c += cuda::warp_lanes)
    for (int i = 0; i < own_rows; ++i) {
      const int t = first + own + i;
      const std::ptrdiff_t at = head.queries.start + std::ptrdiff_t(t) * all.width + c;
      if (t < head.queries.count) sums[i] += in.dy[at] * in.y[at];
    }
  for (int i = 0; i < own_rows; ++i) {
    const int r = own + i, t = first + r;
    const float sum = cuda::warp_sum(sums[i]);
    if (t >= head.queries.count || lane > 0) continue;
    tiles.dots[r] = sum;
    tiles.log_sums[r] = in.log_sums[head.log_sum + t];
  }
}

// Backward of a sentence with only one tile of queries and one of keys: a single block does it all.
__device__ void backward_of_one_tile(const PackedSentences& all, const Head& head,
                                     const ForBackward& in, const PackedMask& mask, Backward& tiles,
                                     float* dq, float* dk, float* dv) {
  load(all, in.q, head.queries, 0, 0, tiles.own_first);
  load(all, in.dy, head.queries, 0, 0, tiles.own_second);
  load(all, in.k, head.keys, 0, 0, tiles.other_first);
  load(all, in.v, head.keys, 0, 0, tiles.other_second);
  dots_of_queries(all, head, in, 0, tiles);
  __syncthreads();  // the rows are loaded
  const int columns = all.columns(0);
  LaneProducts scores, products;
  add_products(tiles.own_first, tiles.other_first, columns, scores);
  add_products(tiles.own_second, tiles.other_second, columns, products);
  for (int i = 0; i < lane_rows; ++i)
    for (int m = 0; m < lane_others; ++m) {
      const int t = first_row_of_lane() + i, s = other_of_lane(m);
      const Pair pair = pair_of(all, head, mask, t, s, scores.of[i][m], products.of[i][m],
                                tiles.log_sums, tiles.dots, t);
      tiles.weights.rows[t][s] = pair.weight;
      tiles.score_gradients.rows[t][s] = pair.score_gradient;
    }
  __syncthreads();  // all weights are computed
  float of_q[own_rows][parts] = {}, of_k[own_rows][parts] = {}, of_v[own_rows][parts] = {};
  add_rows(tiles.score_gradients, tiles.other_first, head.keys.count, columns, of_q);
  add_rows_by_columns(tiles.score_gradients, tiles.own_first, head.queries.count, columns, of_k);
  add_rows_by_columns(tiles.weights, tiles.own_second, head.queries.count, columns, of_v);
  store(all, of_q, head.queries, 0, 0, dq);
  store(all, of_k, head.keys, 0, 0, dk);
  store(all, of_v, head.keys, 0, 0, dv);
}

// With P recomputed from the scores, P' = dropout(P) and dP' = dy v^T, a block of queries sums dq =
// dS k, and a block of keys sums dk = dS^T q and dv = P'^T dy, where dS = scale P (dropout(dP') -
// <dy, y>).
__global__ void __launch_bounds__(warps* cuda::warp_lanes, 4)
    attend_tiles_backward(PackedSentences all, ForBackward in, PackedMask mask, float* dq,
                          float* dk, float* dv) {
  Backward& tiles = *cuda::dynamic_shared<Backward>();
  const Head head = head_of(all);
  const int strips = all.strips(), own_strip = head.block % strips;
  if (strips == 1 && head.queries.count <= tile && head.keys.count <= tile) {
    if (head.block == 0) backward_of_one_tile(all, head, in, mask, tiles, dq, dk, dv);
    return;
  }
  const int number = head.block / strips, of_queries = (all.longest_query + tile - 1) / tile;
  const bool owns_queries = number < of_queries;
  const Side queries{head.queries, in.q, in.dy}, keys{head.keys, in.k, in.v};
  const Side mine = chosen(owns_queries, queries, keys),
             theirs = chosen(owns_queries, keys, queries);
  const int first = (owns_queries ? number : number - of_queries) * tile;
  if (first >= mine.rows.count) return;
  const int row = first_row_of_lane();
  const int begin = owns_queries || !all.causal ? 0 : first,
            end = owns_queries ? seen_by(all, head, first + tile - 1) : theirs.rows.count;
  float by_score[own_rows][parts] = {}, by_weight[own_rows][parts] = {};
  for (int other = begin; other < end; other += tile) {
    LaneProducts scores, products;
    for (int n = 1; n <= strips; ++n) {  // the strip that is summed comes last
      const int strip_now = (own_strip + n) % strips;
      __syncthreads();  // all reads of the tiles are done
      if (other == begin || strips > 1) {
        load(all, mine.first, mine.rows, first, strip_now, tiles.own_first);
        load(all, mine.second, mine.rows, first, strip_now, tiles.own_second);
      }
      load(all, theirs.first, theirs.rows, other, strip_now, tiles.other_first);
      load(all, theirs.second, theirs.rows, other, strip_now, tiles.other_second);
      if (n == strips && (other == begin || !owns_queries))
        dots_of_queries(all, head, in, owns_queries ? first : other, tiles);
      __syncthreads();  // the tiles are loaded
      add_products(tiles.own_first, tiles.other_first, all.columns(strip_now), scores);
      add_products(tiles.own_second, tiles.other_second, all.columns(strip_now), products);
    }
    for (int i = 0; i < lane_rows; ++i)
      for (int m = 0; m < lane_others; ++m) {
        const int mine_at = row + i, theirs_at = other_of_lane(m);
        const int r = owns_queries ? mine_at : theirs_at;  // the query's row in its tile
        const int t = owns_queries ? first + r : other + r,
                  s = owns_queries ? other + theirs_at : first + mine_at;
        const Pair pair = pair_of(all, head, mask, t, s, scores.of[i][m], products.of[i][m],
                                  tiles.log_sums, tiles.dots, r);
        tiles.weights.rows[mine_at][theirs_at] = pair.weight;
        tiles.score_gradients.rows[mine_at][theirs_at] = pair.score_gradient;
      }
    __syncwarp();  // the weights of the other lanes are written
    const int columns = all.columns(own_strip), left = end - other;
    add_rows(tiles.score_gradients, tiles.other_first, left, columns, by_score);
    if (!owns_queries) add_rows(tiles.weights, tiles.other_second, left, columns, by_weight);
  }
  store(all, by_score, mine.rows, first, own_strip, owns_queries ? dq : dk);
  if (!owns_queries) store(all, by_weight, mine.rows, first, own_strip, dv);
}

}  // namespace

template <>
void attend_packed_backward(Cuda, const PackedHeads& heads, const PackedDropout& dropout,
                            const PackedKept& kept, const PackedValues& x,
                            const PackedGradients& to) {
  PackedSentences all = on_device(heads, dropout.key != 0, x.q, x.k, x.v, x.dy);
  const ForBackward in{x.q, x.k, x.v, x.y, x.dy, kept.weights};
  if (backward_on_cores(all, in, PackedMask(dropout), to)) return;
  const cuda::Launch launch =
      launch_for("attend_tiles_backward", all,
                 tiles_for(all, all.longest_query) + tiles_for(all, all.longest_key),
                 warps * cuda::warp_lanes, sizeof(Backward));
  cuda::launch(launch, attend_tiles_backward, all, in, PackedMask(dropout), to.q.data, to.k.data,
               to.v.data);
}

}  // namespace xf::kernel
