#include "cuda/narrow.hpp"
#include "ops/attention/packed_tiles.hpp"
#include "ops/matmul/precision.hpp"

namespace xf::kernel {

namespace {

struct Forward {
  Tile q, k, v;
  Weights weights;
};

// Softmax and sum in one pass (the GPU page has the equations): for each row it keeps the largest
// score so far, the sum of the exponentials, and the weighted sum of the values. Backward only
// needs log_sum = log(sum of e^score): a weight is e^(score - log_sum).
__global__ void __launch_bounds__(warps* cuda::warp_lanes)
    attend_tiles(PackedSentences all, const float* q, const float* k, const float* v,
                 PackedMask mask, float* log_sums, float* y) {
  Forward& tiles = *cuda::dynamic_shared<Forward>();
  const Head head = head_of(all);
  const int strips = all.strips(), first = head.block / strips * tile,
            own_strip = head.block % strips;
  if (first >= head.queries.count) return;
  const int row = first_row_of_lane();
  const int end = seen_by(all, head, first + tile - 1);
  float top[lane_rows], sum[lane_rows] = {}, out[own_rows][parts] = {};
  for (float& number : top) number = -INFINITY;
  for (int other = 0; other < end; other += tile) {
    LaneProducts scores;
    for (int n = 1; n <= strips; ++n) {  // the strip of v that is summed comes last
      const int strip_now = (own_strip + n) % strips;
      __syncthreads();  // all reads of the tiles are done
      if (other == 0 || strips > 1) load(all, q, head.queries, first, strip_now, tiles.q);
      load(all, k, head.keys, other, strip_now, tiles.k);
      if (n == strips) load(all, v, head.keys, other, strip_now, tiles.v);
      __syncthreads();  // the tiles are loaded
      add_products(tiles.q, tiles.k, all.columns(strip_now), scores);
    }
    float shrink[lane_rows], of_rows[own_rows];
    for (int i = 0; i < lane_rows; ++i) {
      const int t = first + row + i, seen = t < head.queries.count ? seen_by(all, head, t) : 0;
      float higher = top[i], part = 0;
      for (int m = 0; m < lane_others; ++m)
        if (other + other_of_lane(m) < seen) higher = fmaxf(higher, all.scale * scores.of[i][m]);
      higher = cuda::warp_max(higher, half);
      shrink[i] = higher == -INFINITY ? 1.0f : expf(top[i] - higher);
      for (int m = 0; m < lane_others; ++m) {
        const int s = other + other_of_lane(m);
        const float weight = s < seen ? expf(all.scale * scores.of[i][m] - higher) : 0.0f;
        part += weight;
        tiles.weights.rows[row + i][other_of_lane(m)] =
            s < seen ? weight * mask.factor(head, t, s) : 0.0f;
      }
      top[i] = higher;
      sum[i] = sum[i] * shrink[i] + cuda::warp_sum(part, half);
    }
    share(shrink, of_rows);
    for (int i = 0; i < own_rows; ++i)
      for (float& number : out[i]) number *= of_rows[i];
    __syncwarp();  // the weights of the other lanes are written
    add_rows(tiles.weights, tiles.v, end - other, all.columns(own_strip), out);
  }
  float of_rows[own_rows];
  share(sum, of_rows);
  for (int i = 0; i < own_rows; ++i)
    for (float& number : out[i]) number = of_rows[i] == 0 ? 0 : number / of_rows[i];
  if (own_strip == 0 && other_of_lane(0) == 0)
    for (int i = 0; i < lane_rows; ++i) {
      const int t = first + row + i;
      if (t < head.queries.count) log_sums[head.log_sum + t] = top[i] + logf(sum[i]);
    }
  store(all, out, head.queries, first, own_strip, y);
}

// ---- the weights themselves ---------------------------------------------------------------------

// A factor, rounded as for the tensor cores.
__device__ float rounded(float x, Precision precision) {
  return precision == Precision::bf16   ? cuda::to_float(cuda::to_bfloat16(x))
         : precision == Precision::tf32 ? cuda::to_tf32(x)
                                        : x;
}

// One thread per weight, written to (H, N, M).
__global__ void write_out(PackedSentences all, Precision precision, const float* q, const float* k,
                          const float* log_sums, float* to) {
  const Head head = head_of(all);
  const std::ptrdiff_t n = std::ptrdiff_t(head.block) * blockDim.x + threadIdx.x;
  if (n >= std::ptrdiff_t(head.queries.count) * head.keys.count) return;
  const int t = static_cast<int>(n / head.keys.count), s = static_cast<int>(n % head.keys.count);
  if (s >= seen_by(all, head, t)) return;
  const float *query = q + head.queries.start + std::ptrdiff_t(t) * all.width,
              *key = k + head.keys.start + std::ptrdiff_t(s) * all.width;
  float score = 0;
  for (int c = 0; c < all.d_k; ++c)
    score += rounded(query[c], precision) * rounded(key[c], precision);
  const std::ptrdiff_t row = head.log_sum + t;
  to[row * all.keys[all.count] + all.keys[head.sentence] + s] =
      expf(all.scale * score - log_sums[row]);
}

}  // namespace

template <>
PackedSizes packed_sizes(Cuda, const PackedHeads& heads, const PackedDropout&) {
  return {std::ptrdiff_t(heads.heads) * heads.sentences.queries.back(), 0};
}

template <>
void attend_packed(Cuda, const PackedHeads& heads, const PackedDropout& dropout, const float* q,
                   const float* k, const float* v, float* log_sums, float*, const Output& y) {
  PackedSentences all = on_device(heads, dropout.key != 0, q, k, v);
  if (forward_on_cores(all, PackedMask(dropout), q, k, v, log_sums, y)) return;
  const cuda::Launch launch = launch_for("attend_tiles", all, tiles_for(all, all.longest_query),
                                         warps * cuda::warp_lanes, sizeof(Forward));
  cuda::launch(launch, attend_tiles, all, q, k, v, PackedMask(dropout), log_sums, y.data);
}

template <>
void packed_written_out(Cuda, const PackedHeads& heads, const PackedKept& kept, const float* q,
                        const float* k, float* to) {
  PackedSentences all = on_device(heads, false, q, k);
  const Precision precision = fits_cores(all) ? product_precision() : Precision::float32;
  const std::ptrdiff_t most = std::ptrdiff_t(all.longest_query) * all.longest_key;
  const cuda::Launch launch = launch_for(
      "write_out", all, cuda::blocks_for(most, cuda::block_threads), cuda::block_threads);
  cuda::launch(launch, write_out, all, precision, q, k, kept.weights, to);
}

}  // namespace xf::kernel
