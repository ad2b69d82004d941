#include "exercise.hpp"

namespace xf::exercise {

// Row s of parts, (stretches, columns), is the sum of the rows of stretch s.
static __global__ void sum_stretches(const float* dy, float* parts, int rows, int columns) {
  __shared__ float of_group[groups][lanes];
  const int lane = static_cast<int>(threadIdx.x), group = static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * lanes + lane;
  const int s = static_cast<int>(blockIdx.y), last = std::min(rows, (s + 1) * stretch);
  float sum = 0;
  if (column < columns)
    for (int row = s * stretch + group; row < last; row += groups)
      sum += dy[row * columns + column];
  of_group[group][lane] = sum;
  __syncthreads();
  if (group > 0 || column >= columns) return;
  for (int g = 1; g < groups; ++g) sum += of_group[g][lane];
  parts[s * columns + column] = sum;
}

// The sums of the stretches, from the first to the last.
static __global__ void add_stretches(const float* parts, float* db, int stretches, int columns) {
  const int column = static_cast<int>(blockIdx.x) * lanes + static_cast<int>(threadIdx.x);
  if (column >= columns) return;
  float sum = 0;
  for (int s = 0; s < stretches; ++s) sum += parts[s * columns + column];
  db[column] = sum;
}

void bias_gradient(const float* dy, float* db, int rows, int columns) {
  const unsigned across = cuda::blocks_for(columns, lanes), down = cuda::blocks_for(rows, stretch);
  const int stretches = static_cast<int>(down);
  cuda::Buffer<float> parts(static_cast<std::size_t>(stretches * columns));
  cuda::launch({"sum_stretches", dim3(across, down), dim3(lanes, groups)}, sum_stretches, dy,
               parts.data(), rows, columns);
  cuda::launch({"add_stretches", across, lanes}, add_stretches, parts.data(), db, stretches,
               columns);
}

}  // namespace xf::exercise
