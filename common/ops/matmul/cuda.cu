#include "cuda/each.hpp"
#include "cuda/launch.hpp"
#include "ops/check.hpp"
#include "ops/matmul/cuda_bf16.hpp"
#include "ops/matmul/cuda_stacks.hpp"
#include "ops/matmul/precision.hpp"

#ifdef XF_CUBLAS
#include "cuda/cublas.hpp"
#endif

namespace xf::kernel {

namespace {

// A stack of matrices as in gemm.hpp, of floats or of bfloat16 numbers.
template <class Number>
struct Operand {
  const Number* data;
  int rows, columns;
  std::ptrdiff_t stride, step;
  bool transposed;

  Operand from(std::ptrdiff_t matrix) const {
    Operand rest = *this;
    rest.data += matrix * step;
    return rest;
  }
  __device__ float at(int i, int j) const {
    if (i >= rows || j >= columns) return 0;
    const Number* matrix = data + blockIdx.z * step;
    return cuda::to_float(transposed ? matrix[j * stride + i] : matrix[i * stride + j]);
  }
};

Operand<float> operand(const MatrixStack& x) {
  const Matrix& m = x.first;
  return {m.data, m.rows, m.columns, m.stride, x.step, m.transposed};
}

// One block computes a tile of 32 x 32 of C, each of its 64 threads 4 x 4 of it, in registers. The
// strips of A and B pass through shared memory, 16 of k at a time, so that each number read from
// memory is used 32 times. With `tf32`, numbers are rounded on the way.
constexpr int tile = 32, strip = 16, each = 4, side = tile / each;

template <class Number>
__device__ float number(const Operand<Number>& x, int i, int j, bool tf32) {
  return tf32 ? cuda::to_tf32(x.at(i, j)) : x.at(i, j);
}

struct Strips {
  float a[strip][tile + 1], b[strip][tile + 1];
};
// Shared memory of the block, in a function that is no template (see cuda/emulator.hpp).
__device__ Strips& strips_of_block() {
  __shared__ Strips strips;
  return strips;
}

template <class Number>
__global__ void tiled_gemm(Operand<Number> a, Operand<Number> b, bool tf32, ResultStack result,
                           Epilogue epilogue) {
  auto& [a_strip, b_strip] = strips_of_block();
  const Result c = result.from(blockIdx.z).first;
  const int self = static_cast<int>(threadIdx.x), row = self / side, column = self % side;
  const int i0 = static_cast<int>(blockIdx.y) * tile, j0 = static_cast<int>(blockIdx.x) * tile;
  float sums[each][each] = {};
  for (int p0 = 0; p0 < a.columns; p0 += strip) {
    // Neighbouring threads read neighbouring numbers, whether or not the matrix is transposed.
    for (int n = self; n < strip * tile; n += side * side) {
      const int along = n % strip, across = n / strip, far = n / tile, near = n % tile;
      if (a.transposed)
        a_strip[far][near] = number(a, i0 + near, p0 + far, tf32);
      else
        a_strip[along][across] = number(a, i0 + across, p0 + along, tf32);
      if (b.transposed)
        b_strip[along][across] = number(b, p0 + along, j0 + across, tf32);
      else
        b_strip[far][near] = number(b, p0 + far, j0 + near, tf32);
    }
    __syncthreads();  // the strips are loaded
    for (int p = 0; p < strip; ++p)
      for (int i = 0; i < each; ++i)
        for (int j = 0; j < each; ++j)
          sums[i][j] += a_strip[p][row + i * side] * b_strip[p][column + j * side];
    __syncthreads();  // all reads of the strips are done
  }
  for (int i = 0; i < each; ++i)
    for (int j = 0; j < each; ++j) {
      const int r = i0 + row + i * side, s = j0 + column + j * side;
      if (r >= c.rows || s >= c.columns) continue;
      float& out = c.data[r * c.stride + s];
      const float before = epilogue.sum ? out : epilogue.bias ? epilogue.bias[s] : 0.0f;
      out = before + sums[i][j];
    }
}

template <class Number>
void tiled_product(std::ptrdiff_t batch, const Operand<Number>& a, const Operand<Number>& b,
                   const ResultStack& c, const Epilogue& epilogue) {
  const bool tf32 = product_precision() == Precision::tf32;
  constexpr std::ptrdiff_t most = 65535;  // blocks in z
  for (std::ptrdiff_t first = 0; first < batch; first += most) {
    const std::ptrdiff_t count = batch - first < most ? batch - first : most;
    const dim3 grid(cuda::blocks_for(c.first.columns, tile), cuda::blocks_for(c.first.rows, tile),
                    static_cast<unsigned>(count));
    cuda::launch({"tiled_gemm", grid, side * side}, tiled_gemm<Number>, a.from(first),
                 b.from(first), tf32, c.from(first), epilogue);
  }
}

// Packs the lines of x's matrices into y, one after another without gaps, as bfloat16 numbers.
__global__ void pack_bfloat16(Operand<float> x, int lines, int length, cuda::Bfloat16* y,
                              std::ptrdiff_t all_lines) {
  const std::ptrdiff_t line = cuda::warp_number();
  if (line >= all_lines) return;
  const float* from = x.data + line / lines * x.step + line % lines * x.stride;
  for (std::ptrdiff_t i = cuda::first_column(); i < length; i += cuda::column_step())
    y[line * length + i] = cuda::to_bfloat16(from[i]);
}

// The same if x has no gaps either: four numbers per thread.
__global__ void pack_four_bfloat16(const float4* x, cuda::FourBfloat16* y, std::ptrdiff_t fours) {
  const std::ptrdiff_t i = cuda::thread_number();
  if (i >= fours) return;
  const float4 from = x[i];  // one load
  y[i] = cuda::to_bfloat16(from);
}

// A stack as bfloat16 numbers. A matrix shared by the whole stack is packed once, and one whose
// bfloat16 copy is kept is not packed again for later products.
class Packed {
 public:
  Packed(const MatrixStack& x, std::ptrdiff_t batch) {
    const Matrix& m = x.first;
    const std::ptrdiff_t size = std::ptrdiff_t(m.rows) * m.columns, count = x.step == 0 ? 1 : batch;
    const int lines = m.transposed ? m.columns : m.rows, length = m.transposed ? m.rows : m.columns;
    numbers_ = bf16_in(m.form);
    operand_ = {nullptr, m.rows, m.columns, m.stride, x.step, m.transposed};
    if (!numbers_) {  // without gaps
      operand_.stride = length;
      operand_.step = x.step == 0 ? 0 : size;
      numbers_ = new_bf16(m.form, count * size);
      const bool gaps = m.stride != length || (count > 1 && x.step != size);
      if (!gaps && count * size % 4 == 0 && cuda::begins_at_16_bytes(m.data))
        cuda::launch(cuda::one_thread_each("pack_bfloat16", count * size / 4), pack_four_bfloat16,
                     reinterpret_cast<const float4*>(m.data),
                     reinterpret_cast<cuda::FourBfloat16*>(numbers_->data()), count * size / 4);
      else
        cuda::launch(cuda::one_warp_each_stretch("pack_bfloat16", count * lines, length),
                     pack_bfloat16, operand(x), lines, length, numbers_->data(), count * lines);
    }
    operand_.data = numbers_->data();
  }
  const Operand<cuda::Bfloat16>& packed() const { return operand_; }

 private:
  std::shared_ptr<Bf16Copy> numbers_;
  Operand<cuda::Bfloat16> operand_;
};

#ifdef XF_CUBLAS

template <class Number>
cuda::Factor factor(const Operand<Number>& x) {
  return {x.data, x.transposed, x.stride, x.step};
}

cuda::Numbers numbers_of(const Operand<float>&) {
  return product_precision() == Precision::tf32 ? cuda::Numbers::tf32 : cuda::Numbers::float32;
}
cuda::Numbers numbers_of(const Operand<cuda::Bfloat16>&) { return cuda::Numbers::bfloat16; }

// Training on a GPU uses this one.
template <class Number>
void product(std::ptrdiff_t batch, const Operand<Number>& a, const Operand<Number>& b,
             const ResultStack& c, const Epilogue& epilogue) {
  const Result& to = c.first;
  cuda::cublas_gemm(numbers_of(a), batch, to.rows, to.columns, a.columns, factor(a), factor(b),
                    to.data, to.stride, c.step, epilogue.sum, epilogue.bias);
}

#else

template <class Number>
void product(std::ptrdiff_t batch, const Operand<Number>& a, const Operand<Number>& b,
             const ResultStack& c, const Epilogue& epilogue) {
  tiled_product(batch, a, b, c, epilogue);
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
                 const ResultStack& c, const Epilogue& epilogue) {
  check(a.first, b.first, c.first);
  if (batch == 0 || c.first.rows == 0 || c.first.columns == 0) return;
  if (a.first.columns == 0)  // an empty sum, which cuBLAS would reject
    tiled_product(batch, operand(a), operand(b), c, epilogue);
  else if (product_precision() == Precision::bf16)
    product(batch, Packed(a, batch).packed(), Packed(b, batch).packed(), c, epilogue);
  else
    product(batch, operand(a), operand(b), c, epilogue);
}

template <>
void gemm(Cuda, const Matrix& a, const Matrix& b, const Result& c, const Epilogue& epilogue) {
  gemm_stacks(1, {a, 0}, {b, 0}, {c, 0}, epilogue);
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
