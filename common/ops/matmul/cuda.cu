#include "cuda/launch.hpp"
#include "ops/check.hpp"
#include "ops/matmul/cuda_stacks.hpp"

#ifdef XF_CUBLAS
#include "cuda/cublas.hpp"
#endif

namespace xf::kernel {

namespace {

// One block computes a tile of 32 x 32 of C, each of its 64 threads 4 x 4 of it, in registers. The
// strips of A and B that belong to it pass through shared memory, 16 of k at a time, so that each
// number that was read from memory is used 32 times.
constexpr int tile = 32, strip = 16, each = 4, side = tile / each;

__device__ float element(const Matrix& x, int i, int j) {
  if (i >= x.rows || j >= x.columns) return 0;
  return x.transposed ? x.data[j * x.stride + i] : x.data[i * x.stride + j];
}

__global__ void tiled_gemm(MatrixStack left, MatrixStack right, ResultStack result, Onto onto) {
  __shared__ float a_strip[strip][tile + 1], b_strip[strip][tile + 1];
  const Matrix a = left.from(blockIdx.z).first, b = right.from(blockIdx.z).first;
  const Result c = result.from(blockIdx.z).first;
  const int self = static_cast<int>(threadIdx.x), row = self / side, column = self % side;
  const int i0 = static_cast<int>(blockIdx.y) * tile, j0 = static_cast<int>(blockIdx.x) * tile;
  float sums[each][each] = {};
  for (int p0 = 0; p0 < a.columns; p0 += strip) {
    // Neighbouring threads read neighbouring numbers, whichever way the matrix lies.
    for (int n = self; n < strip * tile; n += side * side) {
      const int along = n % strip, across = n / strip, far = n / tile, near = n % tile;
      if (a.transposed)
        a_strip[far][near] = element(a, i0 + near, p0 + far);
      else
        a_strip[along][across] = element(a, i0 + across, p0 + along);
      if (b.transposed)
        b_strip[along][across] = element(b, p0 + along, j0 + across);
      else
        b_strip[far][near] = element(b, p0 + far, j0 + near);
    }
    __syncthreads();  // the strips are there
    for (int p = 0; p < strip; ++p)
      for (int i = 0; i < each; ++i)
        for (int j = 0; j < each; ++j)
          sums[i][j] += a_strip[p][row + i * side] * b_strip[p][column + j * side];
    __syncthreads();  // everybody is done with them
  }
  for (int i = 0; i < each; ++i)
    for (int j = 0; j < each; ++j) {
      const int r = i0 + row + i * side, s = j0 + column + j * side;
      if (r >= c.rows || s >= c.columns) continue;
      float& out = c.data[r * c.stride + s];
      const float before = onto.sum ? out : onto.bias ? onto.bias[s] : 0.0f;
      out = before + sums[i][j];
    }
}

#ifdef XF_CUBLAS

__global__ void repeat_bias(Result c, const float* bias) {
  const std::ptrdiff_t n = cuda::thread_number(), i = n / c.columns, j = n % c.columns;
  if (i < c.rows) c.data[i * c.stride + j] = bias[j];
}

cuda::Operand operand(const MatrixStack& x) {
  return {x.first.data, x.first.transposed, x.first.stride, x.step};
}

// Training on a GPU uses this one. A bias is what the product is added to.
void vendor_gemm(std::ptrdiff_t batch, const MatrixStack& a, const MatrixStack& b,
                 const ResultStack& c, const Onto& onto) {
  const Result& to = c.first;
  if (onto.bias)
    for (std::ptrdiff_t i = 0; i < batch; ++i)
      cuda::launch(cuda::one_thread_each("repeat_bias", std::ptrdiff_t(to.rows) * to.columns),
                   repeat_bias, c.from(i).first, onto.bias);
  cuda::cublas_gemm(batch, to.rows, to.columns, a.first.columns, operand(a), operand(b), to.data,
                    to.stride, c.step, onto.sum || onto.bias);
}

#endif

void check(const Matrix& a, const Matrix& b, const Result& c) {
  require(a.columns == b.rows && a.rows == c.rows && b.columns == c.columns, "gemm", [&] {
    const auto size = [](int rows, int columns) {
      return "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")";
    };
    return "a is " + size(a.rows, a.columns) + ", b is " + size(b.rows, b.columns) + ", c is " +
           size(c.rows, c.columns);
  });
}

}  // namespace

void gemm_stacks(std::ptrdiff_t batch, const MatrixStack& a, const MatrixStack& b,
                 const ResultStack& c, const Onto& onto) {
  check(a.first, b.first, c.first);
  if (c.first.rows == 0 || c.first.columns == 0) return;
#ifdef XF_CUBLAS
  if (a.first.columns > 0) return vendor_gemm(batch, a, b, c, onto);
#endif
  constexpr std::ptrdiff_t most = 65535;  // blocks in z
  for (std::ptrdiff_t first = 0; first < batch; first += most) {
    const std::ptrdiff_t count = batch - first < most ? batch - first : most;
    const dim3 grid(cuda::blocks_for(c.first.columns, tile), cuda::blocks_for(c.first.rows, tile),
                    static_cast<unsigned>(count));
    cuda::launch({"tiled_gemm", grid, side * side}, tiled_gemm, a.from(first), b.from(first),
                 c.from(first), onto);
  }
}

template <>
void gemm(Cuda, const Matrix& a, const Matrix& b, const Result& c, const Onto& onto) {
  gemm_stacks(1, {a, 0}, {b, 0}, {c, 0}, onto);
}

template <>
void gemm(Cuda on, const Matrix& a, std::span<const Product> products) {
  for (const Product& p : products) gemm(on, a, p.b, p.c, {.bias = p.bias});
}

template <>
void batched_gemm(Cuda, std::ptrdiff_t batch, const Matrix& a, const Matrix& b, const Result& c,
                  bool sum) {
  const auto size = [](const auto& x) { return std::ptrdiff_t(x.rows) * x.columns; };
  gemm_stacks(batch, {a, size(a)}, {b, size(b)}, {c, size(c)}, {.sum = sum});
}

}  // namespace xf::kernel
