#include <cmath>

#include "cuda/launch.hpp"
#include "cuda/steps/steps.hpp"

namespace xf::steps {

namespace {

using cuda::lane_number, cuda::warp_lanes;

__device__ float dot(const float* a, const float* b, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// Step 1, kernel 1 of 3: all scores go to memory ...
__global__ void scores(const float* q, const float* k, float scale, float* to, int t, int s,
                       int d) {
  const std::ptrdiff_t n = cuda::thread_number();
  if (n < std::ptrdiff_t(t) * s) to[n] = scale * dot(q + n / s * d, k + n % s * d, d);
}

// ... 3 of 3 (the second is softmax, in softmax.cu): and come back as weights.
__global__ void weighted_sums(const float* weights, const float* v, float* y, int t, int s, int d) {
  const std::ptrdiff_t n = cuda::thread_number();
  if (n >= std::ptrdiff_t(t) * d) return;
  const float* row = weights + n / d * s;
  float sum = 0;
  for (std::ptrdiff_t j = 0; j < s; ++j) sum += row[j] * v[j * d + n % d];
  y[n] = sum;
}

// Step 2. One warp per query, and no weight is ever stored. The warp takes 32 keys at a time, one
// per lane. When the largest score so far rises, the sums so far are rescaled to the new maximum:
//   m' = max(m, scores),  l' = l e^(m - m') + sum e^(scores - m'),  o' = o e^(m - m') + e^(...) v
// and in the end y = o / l.              Milakov and Gimelshein 2018; Dao et al. 2022, algorithm 1
constexpr int max_columns = 4;  // of y per lane: d is at most 128

__global__ void one_pass(const float* q, const float* k, const float* v, float scale, float* y,
                         int t, int s, int d) {
  const std::ptrdiff_t i = cuda::warp_number();
  if (i >= t) return;
  const int lane = lane_number();
  float top = -INFINITY, sum = 0, out[max_columns] = {};
  for (std::ptrdiff_t first = 0; first < s; first += warp_lanes) {
    const std::ptrdiff_t own = first + lane;
    const int count = s - first < warp_lanes ? int(s - first) : warp_lanes;
    const float score = own < s ? scale * dot(q + i * d, k + own * d, d) : -INFINITY;
    const float higher = fmaxf(top, cuda::warp_max(score));
    const float weight = expf(score - higher), shrink = expf(top - higher);
    sum = sum * shrink + cuda::warp_sum(weight);
    top = higher;
    for (float& number : out) number *= shrink;
    for (int j = 0; j < count; ++j) {
      const float w = __shfl_sync(~0u, weight, j);
      for (int c = 0; c < max_columns; ++c)
        if (lane + c * warp_lanes < d) out[c] += w * v[(first + j) * d + lane + c * warp_lanes];
    }
  }
  for (int c = 0; c < max_columns; ++c)
    if (lane + c * warp_lanes < d) y[i * d + lane + c * warp_lanes] = out[c] / sum;
}

// Step 3. The same, but the eight warps of a block share what they read. Blocks of 32 keys and
// their values are loaded into shared memory by whole rows; there each lane can read a row of its
// own without conflicts, provided that the rows do not all begin in the same bank.
constexpr int warps = 8, max_d = max_columns * warp_lanes;

__global__ void shared_keys(const float* q, const float* k, const float* v, float scale, float* y,
                            int t, int s, int d) {
  __shared__ float keys[warp_lanes][max_d + 1], values[warp_lanes][max_d];
  __shared__ float queries[warps][max_d];
  const int self = static_cast<int>(threadIdx.x), lane = lane_number(), warp = self / warp_lanes;
  const std::ptrdiff_t i = cuda::warp_number();
  for (int c = lane; c < d; c += warp_lanes) queries[warp][c] = i < t ? q[i * d + c] : 0;
  float top = -INFINITY, sum = 0, out[max_columns] = {};
  for (std::ptrdiff_t first = 0; first < s; first += warp_lanes) {
    const int count = s - first < warp_lanes ? int(s - first) : warp_lanes;
    for (int j = warp; j < count; j += warps)
      for (int c = lane; c < d; c += warp_lanes) {
        keys[j][c] = k[(first + j) * d + c];
        values[j][c] = v[(first + j) * d + c];
      }
    __syncthreads();  // keys and values are loaded
    const float score = lane < count ? scale * dot(queries[warp], keys[lane], d) : -INFINITY;
    const float higher = fmaxf(top, cuda::warp_max(score));
    const float weight = expf(score - higher), shrink = expf(top - higher);
    sum = sum * shrink + cuda::warp_sum(weight);
    top = higher;
    for (float& number : out) number *= shrink;
    for (int j = 0; j < count; ++j) {
      const float w = __shfl_sync(~0u, weight, j);
      for (int c = 0; c < max_columns; ++c)
        if (lane + c * warp_lanes < d) out[c] += w * values[j][lane + c * warp_lanes];
    }
    __syncthreads();  // all reads of them are done
  }
  if (i >= t) return;
  for (int c = 0; c < max_columns; ++c)
    if (lane + c * warp_lanes < d) y[i * d + lane + c * warp_lanes] = out[c] / sum;
}

float score_scale(int d) { return 1 / std::sqrt(static_cast<float>(d)); }

}  // namespace

void attention_three_kernels(const float* q, const float* k, const float* v, float* y, int t, int s,
                             int d) {
  const std::ptrdiff_t count = std::ptrdiff_t(t) * s;
  cuda::Buffer<float> weights(static_cast<std::size_t>(count));
  cuda::launch(cuda::one_thread_each("scores", count), scores, q, k, score_scale(d), weights.data(),
               t, s, d);
  softmax_warp_a_row(weights.data(), weights.data(), t, s);
  cuda::launch(cuda::one_thread_each("weighted_sums", std::ptrdiff_t(t) * d), weighted_sums,
               weights.data(), v, y, t, s, d);
}
void attention_one_kernel(const float* q, const float* k, const float* v, float* y, int t, int s,
                          int d) {
  cuda::launch(cuda::one_warp_each("one_pass", t), one_pass, q, k, v, score_scale(d), y, t, s, d);
}

void attention_shared_keys(const float* q, const float* k, const float* v, float* y, int t, int s,
                           int d) {
  cuda::launch({"shared_keys", cuda::blocks_for(t, warps), warps * warp_lanes}, shared_keys, q, k,
               v, score_scale(d), y, t, s, d);
}

}  // namespace xf::steps
