#include "cuda/launch.hpp"
#include "cuda/mirror.hpp"
#include "ops/attention/kernels.hpp"
#include "ops/softmax/cuda_row.hpp"

namespace xf::kernel {

namespace {

// Where the sentences begin, on the device. The weights of sentence i, those of all heads, begin
// at heads * units[i].
struct Sentences {
  const int *queries, *keys, *units;
  int count, heads, width, d_k, longest_query, longest_key;
  bool causal;
};

Sentences on_device(const PackedHeads& all) {
  const Packing& p = all.sentences;
  std::vector<int> units;
  int longest_query = 0, longest_key = 0;
  for (std::size_t i = 0; i < all.weights.size(); ++i)
    units.push_back(static_cast<int>(all.weights[i] / all.heads));
  for (std::ptrdiff_t i = 0; i < all.count(); ++i) {
    longest_query = std::max(longest_query, all.head(i).queries);
    longest_key = std::max(longest_key, all.head(i).keys);
  }
  return {cuda::mirrored_now(p.queries),
          cuda::mirrored_now(p.keys),
          cuda::mirrored_now(units),
          static_cast<int>(all.count()),
          all.heads,
          all.width,
          all.width / all.heads,
          longest_query,
          longest_key,
          p.causal};
}

// One head of one sentence: blockIdx.y and blockIdx.z say which. As in kernels.hpp, but with the
// offsets of its first query, key and weight.
struct Head {
  int queries, keys, weight_stride;
  std::ptrdiff_t query, key, weight;
};

__device__ Head head_of(const Sentences& all) {
  const int h = static_cast<int>(blockIdx.y), i = static_cast<int>(blockIdx.z);
  const int queries = all.queries[i + 1] - all.queries[i], keys = all.keys[i + 1] - all.keys[i];
  const int stride = (keys + 15) / 16 * 16;
  return {queries,
          keys,
          stride,
          std::ptrdiff_t(all.queries[i]) * all.width + h * all.d_k,
          std::ptrdiff_t(all.keys[i]) * all.width + h * all.d_k,
          std::ptrdiff_t(all.units[i]) * all.heads + std::ptrdiff_t(h) * queries * stride};
}

// How many keys query t sees.
__device__ int seen_by(const Sentences& all, const Head& head, int t) {
  return all.causal && t + 1 < head.keys ? t + 1 : head.keys;
}

__device__ float dot(const float* a, const float* b, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// One warp per query, one lane per key: the scores first, then the weights.
__global__ void weights_of_queries(Sentences all, const float* q, const float* k, float scale,
                                   float* weights) {
  const Head head = head_of(all);
  const int t = static_cast<int>(cuda::warp_number());
  if (t >= head.queries) return;
  const float *own = q + head.query + std::ptrdiff_t(t) * all.width, *keys = k + head.key;
  float* row = weights + head.weight + std::ptrdiff_t(t) * head.weight_stride;
  const int seen = seen_by(all, head, t), width = all.width, d_k = all.d_k;
  for (int s = cuda::lane_number(); s < seen; s += cuda::warp_lanes)
    row[s] = dot(own, keys + std::ptrdiff_t(s) * width, d_k);
  warp_softmax(
      head.weight_stride, scale, [=](int s) { return row[s]; }, [=](int s) { return s < seen; },
      row);
}

// One thread per element of y: y[t, c] = the sum of weights[t, s] x[s, c] over the keys s that t
// sees.
__global__ void sums_over_keys(Sentences all, const float* weights, const float* x, float* y) {
  const Head head = head_of(all);
  const std::ptrdiff_t n = cuda::thread_number();
  const int t = static_cast<int>(n / all.d_k), c = static_cast<int>(n % all.d_k);
  if (t >= head.queries) return;
  const float* row = weights + head.weight + std::ptrdiff_t(t) * head.weight_stride;
  const float* from = x + head.key + c;
  float sum = 0;
  for (int s = 0; s < seen_by(all, head, t); ++s)
    sum += row[s] * from[std::ptrdiff_t(s) * all.width];
  y[head.query + std::ptrdiff_t(t) * all.width + c] = sum;
}

// One thread per element of y: y[s, c] = the sum of weights[t, s] x[t, c] over the queries t that
// see s.
__global__ void sums_over_queries(Sentences all, const float* weights, const float* x, float* y) {
  const Head head = head_of(all);
  const std::ptrdiff_t n = cuda::thread_number();
  const int s = static_cast<int>(n / all.d_k), c = static_cast<int>(n % all.d_k);
  if (s >= head.keys) return;
  const float *column = weights + head.weight + s, *from = x + head.query + c;
  float sum = 0;
  for (int t = all.causal ? s : 0; t < head.queries; ++t)
    sum += column[std::ptrdiff_t(t) * head.weight_stride] * from[std::ptrdiff_t(t) * all.width];
  y[head.key + std::ptrdiff_t(s) * all.width + c] = sum;
}

// One thread per weight: dweights[t, s] = <dy[t], v[s]>, and 0 for a key that t does not see.
__global__ void weight_gradients(Sentences all, const float* dy, const float* v, float* dweights) {
  const Head head = head_of(all);
  const std::ptrdiff_t n = cuda::thread_number();
  if (n >= std::ptrdiff_t(head.queries) * head.weight_stride) return;
  const int t = static_cast<int>(n / head.weight_stride),
            s = static_cast<int>(n % head.weight_stride);
  float product = 0;
  if (s < seen_by(all, head, t))
    product = dot(dy + head.query + std::ptrdiff_t(t) * all.width,
                  v + head.key + std::ptrdiff_t(s) * all.width, all.d_k);
  dweights[head.weight + n] = product;
}

// One warp per query: from the gradients of its weights to those of its scores.
__global__ void score_gradients(Sentences all, const float* weights, float scale, float* dweights) {
  const Head head = head_of(all);
  const std::ptrdiff_t t = cuda::warp_number();
  if (t >= head.queries) return;
  const std::ptrdiff_t start = head.weight + t * head.weight_stride;
  float* up = dweights + start;
  warp_softmax_backward(
      head.weight_stride, scale, weights + start, [=](int s) { return up[s]; }, up);
}

// One thread per weight, to (H, N, M).
__global__ void write_out(Sentences all, const float* weights, float* to) {
  const Head head = head_of(all);
  const std::ptrdiff_t n = cuda::thread_number();
  if (n >= std::ptrdiff_t(head.queries) * head.keys) return;
  const std::ptrdiff_t t = n / head.keys, s = n % head.keys, h = blockIdx.y, i = blockIdx.z;
  const std::ptrdiff_t rows = all.queries[all.count], columns = all.keys[all.count];
  to[(h * rows + all.queries[i] + t) * columns + all.keys[i] + s] =
      weights[head.weight + t * head.weight_stride + s];
}

// As many threads for every head of every sentence as the longest sentence needs.
dim3 grid_for(const Sentences& all, std::ptrdiff_t threads) {
  return dim3(cuda::blocks_for(threads, cuda::block_threads), static_cast<unsigned>(all.heads),
              static_cast<unsigned>(all.count));
}
cuda::Launch launch_for(const char* kernel, const Sentences& all, std::ptrdiff_t threads) {
  return {kernel, grid_for(all, threads), cuda::block_threads};
}
std::ptrdiff_t a_warp_each(const Sentences& all) {
  return std::ptrdiff_t(all.longest_query) * cuda::warp_lanes;
}
std::ptrdiff_t a_thread_each(const Sentences& all, int longest) {
  return std::ptrdiff_t(longest) * all.d_k;
}
float score_scale(const Sentences& all) { return 1 / std::sqrt(static_cast<float>(all.d_k)); }

}  // namespace

template <>
void packed_weights(Cuda, const PackedHeads& heads, const float* q, const float* k,
                    float* weights) {
  const Sentences all = on_device(heads);
  cuda::launch(launch_for("weights_of_queries", all, a_warp_each(all)), weights_of_queries, all, q,
               k, score_scale(all), weights);
}

template <>
void packed_output(Cuda, const PackedHeads& heads, const float* weights, const float* v, float* y) {
  const Sentences all = on_device(heads);
  cuda::launch(launch_for("sums_over_keys", all, a_thread_each(all, all.longest_query)),
               sums_over_keys, all, weights, v, y);
}

template <>
void packed_output_backward(Cuda, const PackedHeads& heads, const float* weights, const float* v,
                            const float* dy, float* dweights, float* dv) {
  const Sentences all = on_device(heads);
  const std::ptrdiff_t most =
      std::ptrdiff_t(all.longest_query) * ((all.longest_key + 15) / 16 * 16);
  cuda::launch(launch_for("weight_gradients", all, most), weight_gradients, all, dy, v, dweights);
  cuda::launch(launch_for("sums_over_queries", all, a_thread_each(all, all.longest_key)),
               sums_over_queries, all, weights, dy, dv);
}

template <>
void packed_weights_backward(Cuda, const PackedHeads& heads, const float* weights, const float* q,
                             const float* k, float* dweights, float* dq, float* dk) {
  const Sentences all = on_device(heads);
  cuda::launch(launch_for("score_gradients", all, a_warp_each(all)), score_gradients, all, weights,
               score_scale(all), dweights);
  cuda::launch(launch_for("sums_over_keys", all, a_thread_each(all, all.longest_query)),
               sums_over_keys, all, dweights, k, dq);
  cuda::launch(launch_for("sums_over_queries", all, a_thread_each(all, all.longest_key)),
               sums_over_queries, all, dweights, q, dk);
}

template <>
void packed_written_out(Cuda, const PackedHeads& heads, const float* weights, float* to) {
  const Sentences all = on_device(heads);
  cuda::launch(launch_for("write_out", all, std::ptrdiff_t(all.longest_query) * all.longest_key),
               write_out, all, weights, to);
}

}  // namespace xf::kernel
