#include "ops/attention/packed_cores.hpp"
#include "ops/matmul/cuda_bf16.hpp"

namespace xf::kernel {

namespace {

template <class In>
struct Forward {
  CoreTile<In> q, k, v;
  CoreScores<In> scores;
  Staged staged;
  float of_rows[tile];
};

// Like attend_tiles (packed_cuda.cu), with factors as `In` says: softmax and sum in one pass. A
// thread accumulates its share of the output rows; what a tile adds arrives in `staged`.
template <class In>
__global__ void __launch_bounds__(warps* cuda::warp_lanes, 6)
    attend_on_cores(PackedSentences all, const float* q, const float* k, const float* v,
                    PackedMask mask, float* log_sums, cuda::Written y) {
  auto& tiles = *cuda::dynamic_shared<Forward<In>>();
  const Head head = head_of(all);
  const int first = head.block * tile;
  if (first >= head.queries.count) return;
  load(all, q, head.queries, first, tiles.q);
  const int row = score_row(), t = first + row;
  const int seen = t < head.queries.count ? seen_by(all, head, t) : 0;
  const int end = seen_by(all, head, first + tile - 1);
  float top = -INFINITY, sum = 0;
  float4 out[steps_of_thread] = {};
  for (int other = 0; other < end; other += tile) {
    load(all, k, head.keys, other, tiles.k);
    load(all, v, head.keys, other, tiles.v);
    __syncthreads();  // the tiles are loaded
    multiply_rows(tiles.q, tiles.k, all.d_k, tiles.scores);
    __syncthreads();  // the scores are computed
    float weights[lane_scores], higher = top, part = 0;
    for (int m = 0; m < lane_scores; ++m) {
      const bool sees = other + score_column() + m < seen;
      weights[m] = sees ? all.scale * tiles.scores.numbers[row][score_column() + m] : -INFINITY;
      higher = fmaxf(higher, weights[m]);
    }
    __syncwarp();  // the row's lanes have read their scores, which the weights overwrite
    higher = cuda::warp_max(higher, lanes_of_row);
    const float shrink = higher == -INFINITY ? 1.0f : expf(top - higher);
    for (int m = 0; m < lane_scores; ++m) {
      const int s = other + score_column() + m;
      const float weight = s < seen ? expf(weights[m] - higher) : 0.0f;
      part += weight;
      tiles.scores.factors[row][score_column() + m] =
          In::rounded(s < seen ? weight * mask.factor(head, t, s) : 0.0f);
    }
    top = higher;
    sum = sum * shrink + cuda::warp_sum(part, lanes_of_row);
    if (score_column() == 0) tiles.of_rows[row] = shrink;
    __syncthreads();  // the weights are written
    Sums<In> sums;
    add_rows<false>(tiles.scores, tiles.v, end - other, all.d_k, sums);
    stage(sums, all.d_k, tiles.staged);
    __syncthreads();  // the sums are written
    for_each_four(all, [&](int m, int r, int c) {
      if (c >= all.d_k) return;
      const float4 more = *reinterpret_cast<const float4*>(&tiles.staged.rows[r][c]);
      const float by = tiles.of_rows[r];
      out[m] = {out[m].x * by + more.x, out[m].y * by + more.y, out[m].z * by + more.z,
                out[m].w * by + more.w};
    });
  }
  __syncthreads();  // all reads of of_rows are done
  if (score_column() == 0) {
    tiles.of_rows[row] = sum == 0 ? 0 : 1 / sum;
    if (t < head.queries.count) log_sums[head.log_sum + t] = top + logf(sum);
  }
  __syncthreads();
  const RowsFrom to(all, head.queries, first);
  const cuda::Written from_start = y.from(to.start);
  for_each_four(all, [&](int m, int r, int c) {
    const float by = tiles.of_rows[r];
    if (to.has(r, c))
      from_start.put(to.place(r, c),
                     float4{out[m].x * by, out[m].y * by, out[m].z * by, out[m].w * by});
  });
}

// ---- backward -----------------------------------------------------------------------------------

template <class In>
struct Backward {
  CoreTile<In> own_first, own_second;      // q, dy for queries, k, v for keys; two adjacent tiles
  CoreTile<In> other_first, other_second;  // are later reused for the output rows (staged_over)
  CoreScores<In> weights, score_gradients;
  float log_sums[tile], dots[tile];  // of the queries
};
struct Gradients {
  cuda::Written q, k, v;
};

// Reuses the shared memory of two tiles or of the scores, no longer needed, for result rows.
template <class Two>
__device__ Staged& staged_over(Two& first) {
  static_assert(2 * sizeof(Two) >= sizeof(Staged));
  return reinterpret_cast<Staged&>(first);
}

// Loads q, dy and the values that go with rows first, first + 1 ... of the queries.
template <class In>
__device__ void load_queries(const PackedSentences& all, const Head& head, const ForBackward& in,
                             int first, CoreTile<In>& q, CoreTile<In>& dy, Backward<In>& tiles) {
  load(all, in.q, head.queries, first, q);
  load_with_dots(all, in.dy, in.y, head.queries, first, dy, tiles.dots);
  const int r = static_cast<int>(threadIdx.x);
  if (r < tile)
    tiles.log_sums[r] =
        first + r < head.queries.count ? in.log_sums[head.log_sum + first + r] : 0.0f;
}

// Multiplies the tiles, and replaces the products with P' and dS of each pair. The own rows begin
// at `mine`, the others at `theirs`.
template <class In>
__device__ void weigh(const PackedSentences& all, const Head& head, const PackedMask& mask,
                      bool owns_queries, int mine, int theirs, Backward<In>& tiles) {
  multiply_rows(tiles.own_first, tiles.other_first, all.d_k, tiles.score_gradients);
  multiply_rows(tiles.own_second, tiles.other_second, all.d_k, tiles.weights);
  __syncthreads();  // the products are computed
  const int row = score_row();
  Pair pairs[lane_scores];
  for (int m = 0; m < lane_scores; ++m) {
    const int column = score_column() + m, r = owns_queries ? row : column;  // of the query
    const int t = (owns_queries ? mine : theirs) + r,
              s = owns_queries ? theirs + column : mine + row;
    pairs[m] = pair_of(all, head, mask, t, s, tiles.score_gradients.numbers[row][column],
                       tiles.weights.numbers[row][column], tiles.log_sums, tiles.dots, r);
  }
  __syncwarp();  // the row's lanes have read the products, which the pairs overwrite
  for (int m = 0; m < lane_scores; ++m) {
    tiles.weights.factors[row][score_column() + m] = In::rounded(pairs[m].weight);
    tiles.score_gradients.factors[row][score_column() + m] = In::rounded(pairs[m].score_gradient);
  }
  __syncthreads();  // all pairs are written
}

// Backward of a sentence with only one tile of queries and one of keys: a single block does it all.
template <class In>
__device__ void backward_of_one_tile(const PackedSentences& all, const Head& head,
                                     const ForBackward& in, const PackedMask& mask,
                                     Backward<In>& tiles, const Gradients& to) {
  load_queries(all, head, in, 0, tiles.own_first, tiles.own_second, tiles);
  load(all, in.k, head.keys, 0, tiles.other_first);
  load(all, in.v, head.keys, 0, tiles.other_second);
  __syncthreads();  // the tiles are loaded
  weigh(all, head, mask, true, 0, 0, tiles);
  Sums<In> of_q, of_k, of_v;
  add_rows<false>(tiles.score_gradients, tiles.other_first, head.keys.count, all.d_k, of_q);
  add_rows<true>(tiles.score_gradients, tiles.own_first, head.queries.count, all.d_k, of_k);
  add_rows<true>(tiles.weights, tiles.own_second, head.queries.count, all.d_k, of_v);
  __syncthreads();  // all reads of the tiles are done
  Staged &q = staged_over(tiles.own_first), &k = staged_over(tiles.other_first),
         &v = staged_over(tiles.weights);
  stage(of_q, all.d_k, q);
  stage(of_k, all.d_k, k);
  stage(of_v, all.d_k, v);
  __syncthreads();
  write(all, q, head.queries, 0, to.q);
  write(all, k, head.keys, 0, to.k);
  write(all, v, head.keys, 0, to.v);
}

// Like attend_tiles_backward (packed_backward_cuda.cu).
template <class In>
__global__ void __launch_bounds__(warps* cuda::warp_lanes, 5)
    attend_on_cores_backward(PackedSentences all, ForBackward in, PackedMask mask, Gradients to) {
  auto& tiles = *cuda::dynamic_shared<Backward<In>>();
  const Head head = head_of(all);
  if (head.queries.count <= tile && head.keys.count <= tile) {
    if (head.block == 0) backward_of_one_tile(all, head, in, mask, tiles, to);
    return;
  }
  const int of_queries = (all.longest_query + tile - 1) / tile;
  const bool owns_queries = head.block < of_queries;
  const Rows mine{owns_queries ? head.queries.count : head.keys.count,
                  owns_queries ? head.queries.start : head.keys.start};
  const int first = (owns_queries ? head.block : head.block - of_queries) * tile;
  if (first >= mine.count) return;
  const int begin = owns_queries || !all.causal ? 0 : first,
            end = owns_queries ? seen_by(all, head, first + tile - 1) : head.queries.count;
  Sums<In> by_score, by_weight;
  if (owns_queries) {
    load_queries(all, head, in, first, tiles.own_first, tiles.own_second, tiles);
  } else {
    load(all, in.k, head.keys, first, tiles.own_first);
    load(all, in.v, head.keys, first, tiles.own_second);
  }
  for (int other = begin; other < end; other += tile) {
    __syncthreads();  // all reads of the other tiles are done
    if (owns_queries) {
      load(all, in.k, head.keys, other, tiles.other_first);
      load(all, in.v, head.keys, other, tiles.other_second);
    } else {
      load_queries(all, head, in, other, tiles.other_first, tiles.other_second, tiles);
    }
    __syncthreads();  // the tiles are loaded
    weigh(all, head, mask, owns_queries, first, other, tiles);
    add_rows<false>(tiles.score_gradients, tiles.other_first, end - other, all.d_k, by_score);
    if (!owns_queries)
      add_rows<false>(tiles.weights, tiles.other_second, end - other, all.d_k, by_weight);
  }
  __syncthreads();  // all reads of the tiles are done
  Staged &score = staged_over(tiles.own_first), &weight = staged_over(tiles.other_first);
  stage(by_score, all.d_k, score);
  if (!owns_queries) stage(by_weight, all.d_k, weight);
  __syncthreads();
  write(all, score, mine, first,
        {owns_queries ? to.q.data : to.k.data, owns_queries ? to.q.bf16 : to.k.bf16});
  if (!owns_queries) write(all, weight, mine, first, to.v);
}

template <class In>
void forward(PackedSentences all, const PackedMask& mask, const float* q, const float* k,
             const float* v, float* log_sums, const cuda::Written& y) {
  const cuda::Launch launch = launch_for("attend_on_cores", all, tiles_for(all, all.longest_query),
                                         warps * cuda::warp_lanes, sizeof(Forward<In>));
  cuda::launch(launch, attend_on_cores<In>, all, q, k, v, mask, log_sums, y);
}

template <class In>
void backward(PackedSentences all, const ForBackward& in, const PackedMask& mask,
              const Gradients& to) {
  const cuda::Launch launch =
      launch_for("attend_on_cores_backward", all,
                 all.longest_query <= tile && all.longest_key <= tile
                     ? 1
                     : tiles_for(all, all.longest_query) + tiles_for(all, all.longest_key),
                 warps * cuda::warp_lanes, sizeof(Backward<In>));
  cuda::launch(launch, attend_on_cores_backward<In>, all, in, mask, to);
}

}  // namespace

bool forward_on_cores(const PackedSentences& all, const PackedMask& mask, const float* q,
                      const float* k, const float* v, float* log_sums, const Output& y) {
  if (!fits_cores(all) || product_precision() == Precision::float32) return false;
  const cuda::Written to = written(y, all.query_numbers);
  if (product_precision() == Precision::bf16)
    forward<InBfloat16>(all, mask, q, k, v, log_sums, to);
  else
    forward<InTf32>(all, mask, q, k, v, log_sums, to);
  return true;
}

bool backward_on_cores(const PackedSentences& all, const ForBackward& in, const PackedMask& mask,
                       const PackedGradients& to) {
  if (!fits_cores(all) || product_precision() == Precision::float32) return false;
  const Gradients out{written(to.q, all.query_numbers), written(to.k, all.key_numbers),
                      written(to.v, all.key_numbers)};
  if (product_precision() == Precision::bf16)
    backward<InBfloat16>(all, in, mask, out);
  else
    backward<InTf32>(all, in, mask, out);
  return true;
}

}  // namespace xf::kernel
