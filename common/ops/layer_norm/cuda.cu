#include "cuda/launch.hpp"
#include "ops/cuda_columns.hpp"
#include "ops/layer_norm/kernels.hpp"
#include "ops/matmul/cuda_bf16.hpp"

namespace xf::kernel {

namespace {

using cuda::lane_number, cuda::warp_lanes, cuda::warp_sum;

__global__ void layer_norm_rows(const float* x, const float* gamma, const float* beta, float eps,
                                cuda::Written y, float* means, float* inverse_deviations, int rows,
                                int columns) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= rows) return;
  const float* from = x + r * columns;
  float sum = 0, squares = 0;
  for (int j = lane_number(); j < columns; j += warp_lanes) sum += from[j];
  const float mean = warp_sum(sum) / float(columns);
  for (int j = lane_number(); j < columns; j += warp_lanes)
    squares += (from[j] - mean) * (from[j] - mean);
  const float inverse = 1 / sqrtf(warp_sum(squares) / float(columns) + eps);
  for (int j = lane_number(); j < columns; j += warp_lanes)
    y.put(r * columns + j, gamma[j] * ((from[j] - mean) * inverse) + beta[j]);
  if (lane_number() > 0) return;
  means[r] = mean;
  inverse_deviations[r] = inverse;
}

struct Backward {
  const float *x, *gamma, *means, *inverse_deviations, *dy;
  int rows, columns;
};

// dx = (g - mean(g) - n mean(g n)) / deviation, with g = gamma dy and n the normalised row.
__global__ void input_gradients(Backward b, float* dx) {
  const std::ptrdiff_t r = cuda::warp_number();
  if (r >= b.rows) return;
  const float *from = b.x + r * b.columns, *up = b.dy + r * b.columns;
  const float mean = b.means[r], inverse = b.inverse_deviations[r];
  float sum_g = 0, sum_gn = 0;
  for (int j = lane_number(); j < b.columns; j += warp_lanes) {
    const float g = b.gamma[j] * up[j];
    sum_g += g;
    sum_gn += g * ((from[j] - mean) * inverse);
  }
  const float mean_g = warp_sum(sum_g) / float(b.columns);
  const float mean_gn = warp_sum(sum_gn) / float(b.columns);
  for (int j = lane_number(); j < b.columns; j += warp_lanes) {
    const float n = (from[j] - mean) * inverse;
    dx[r * b.columns + j] = (b.gamma[j] * up[j] - mean_g - n * mean_gn) * inverse;
  }
}

// Rows s of dgammas and dbetas, (S, columns), are the sums over the rows of stretch s.
__global__ void weight_gradients(Backward b, float* dgammas, float* dbetas) {
  __shared__ float gammas[row_groups][warp_lanes], betas[row_groups][warp_lanes];
  const auto [c, first, last] = column_part(b.rows);
  float dg = 0, db = 0;
  if (c < b.columns)
    for (std::ptrdiff_t r = first; r < last; r += row_groups) {
      const float up = b.dy[r * b.columns + c];
      dg += up * ((b.x[r * b.columns + c] - b.means[r]) * b.inverse_deviations[r]);
      db += up;
    }
  dg = sum_of_groups(dg, gammas);
  db = sum_of_groups(db, betas);
  if (threadIdx.y > 0 || c >= b.columns) return;
  dgammas[blockIdx.y * std::ptrdiff_t(b.columns) + c] = dg;
  dbetas[blockIdx.y * std::ptrdiff_t(b.columns) + c] = db;
}

// The sums over the stretches.
__global__ void add_stretches(const float* dgammas, const float* dbetas, int stretches,
                              float* dgamma, float* dbeta, int columns) {
  const std::ptrdiff_t c = cuda::thread_number();
  if (c >= columns) return;
  float dg = 0, db = 0;
  for (std::ptrdiff_t s = 0; s < stretches; ++s) {
    dg += dgammas[s * columns + c];
    db += dbetas[s * columns + c];
  }
  dgamma[c] = dg;
  dbeta[c] = db;
}

void sum_weight_gradients(const Backward& all, float* dgamma, float* dbeta) {
  const dim3 grid = column_grid(all.rows, all.columns);
  const cuda::Launch first{"weight_gradients", grid, column_block()};
  if (grid.y == 1) {
    cuda::launch(first, weight_gradients, all, dgamma, dbeta);
    return;
  }
  const std::size_t size = grid.y * static_cast<std::size_t>(all.columns);
  cuda::Buffer<float> sums(2 * size);
  float *const dgammas = sums.data(), *const dbetas = dgammas + size;
  cuda::launch(first, weight_gradients, all, dgammas, dbetas);
  cuda::launch(cuda::one_thread_each("add_stretches", all.columns), add_stretches, dgammas, dbetas,
               static_cast<int>(grid.y), dgamma, dbeta, all.columns);
}

}  // namespace

template <>
void layer_norm(Cuda, const float* x, const float* gamma, const float* beta, float eps,
                const Output& y, float* means, float* inverse_deviations, int rows, int columns) {
  cuda::launch(cuda::one_warp_each("layer_norm_rows", rows), layer_norm_rows, x, gamma, beta, eps,
               written(y, std::ptrdiff_t(rows) * columns), means, inverse_deviations, rows,
               columns);
}

// The gradients of gamma and beta come first, because dx may overwrite dy.
template <>
void layer_norm_backward(Cuda, const float* x, const float* gamma, const float* means,
                         const float* inverse_deviations, const float* dy, float* dx, float* dgamma,
                         float* dbeta, int rows, int columns) {
  const Backward all{x, gamma, means, inverse_deviations, dy, rows, columns};
  if (dgamma) sum_weight_gradients(all, dgamma, dbeta);
  if (dx) cuda::launch(cuda::one_warp_each("input_gradients", rows), input_gradients, all, dx);
}

}  // namespace xf::kernel
