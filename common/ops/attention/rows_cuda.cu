#include "cuda/launch.hpp"
#include "cuda/mirror.hpp"
#include "ops/attention/kernels.hpp"
#include "ops/softmax/cuda_row.hpp"

namespace xf::kernel {

namespace {

// The lists end to end: list b is rows[starts[b]] ... rows[starts[b + 1] - 1].
struct Lists {
  const int *starts, *rows;
};

// One warp does one head of one query: one lane per key for the scores, then one lane per column
// for the sum. `weights` (B, H, longest) holds the scores, and then the weights.
__global__ void attend_lists(Lists seen, const float* q, const float* keys, const float* values,
                             int heads, int d_k, int longest, float scale, float* weights,
                             float* y) {
  const int b = static_cast<int>(blockIdx.x), h = static_cast<int>(blockIdx.y);
  const int first = seen.starts[b], count = seen.starts[b + 1] - first;
  const std::ptrdiff_t width = std::ptrdiff_t(heads) * d_k, at = h * std::ptrdiff_t(d_k);
  const float* own = q + b * width + at;
  float* row = weights + (std::ptrdiff_t(b) * heads + h) * longest;
  for (int j = cuda::lane_number(); j < count; j += cuda::warp_lanes) {
    const float* key = keys + seen.rows[first + j] * width + at;
    float sum = 0;
    for (int c = 0; c < d_k; ++c) sum += own[c] * key[c];
    row[j] = sum;
  }
  warp_softmax(
      longest, scale, [=](int j) { return row[j]; }, [=](int j) { return j < count; }, row);
  __syncwarp();  // the weights of the other lanes are written
  for (int c = cuda::lane_number(); c < d_k; c += cuda::warp_lanes) {
    float sum = 0;
    for (int j = 0; j < count; ++j) sum += row[j] * values[seen.rows[first + j] * width + at + c];
    y[b * width + at + c] = sum;
  }
}

}  // namespace

template <>
void attend_rows(Cuda, const RowAttention& rows, float* weights, float* y) {
  std::vector<int> starts{0}, all;
  for (const std::vector<int>& list : rows.seen) {
    all.insert(all.end(), list.begin(), list.end());
    starts.push_back(static_cast<int>(all.size()));
  }
  const auto count = static_cast<unsigned>(rows.seen.size());
  const std::size_t longest = rows.longest();
  cuda::Buffer<float> own(weights ? 0 : count * static_cast<std::size_t>(rows.heads) * longest);
  const dim3 grid(count, static_cast<unsigned>(rows.heads));
  cuda::launch({"attend_lists", grid, cuda::warp_lanes}, attend_lists,
               Lists{cuda::mirrored_now(starts), cuda::mirrored_now(all)}, rows.q, rows.keys,
               rows.values, rows.heads, rows.d_k, static_cast<int>(longest),
               1 / std::sqrt(static_cast<float>(rows.d_k)), weights ? weights : own.data(), y);
}

}  // namespace xf::kernel
