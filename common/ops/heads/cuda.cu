#include "cuda/each.hpp"
#include "cuda/launch.hpp"
#include "ops/heads/kernels.hpp"
#include "ops/matmul/cuda_bf16.hpp"

namespace xf::kernel {

namespace {

// A block handles rows of one head of one sentence: in x (B, T, H, Dk) they are apart, in y (B, H,
// T, Dk) consecutive. `Numbers` is one float or four.
template <class Numbers>
__global__ void swap_middle_axes_of_heads(const Numbers* x, cuda::Written y, int t, int h, int d_k,
                                          unsigned blocks) {
  const unsigned place = blockIdx.x / blocks;  // of the head in y
  const std::ptrdiff_t b = place / h, head = place % h;
  const std::ptrdiff_t time = (blockIdx.x - place * blocks) * blockDim.y + threadIdx.y;
  if (time >= t) return;
  const Numbers* from = x + ((b * t + time) * h + head) * d_k;
  const std::ptrdiff_t to = (place * std::ptrdiff_t(t) + time) * d_k;
  constexpr int each = sizeof(Numbers) / sizeof(float);
  for (int c = static_cast<int>(threadIdx.x); c < d_k; c += cuda::warp_lanes)
    y.put((to + c) * each, Numbers(from[c]));
}

template <class Numbers>
void swap_heads(const Numbers* x, const cuda::Written& y, int batch, int t, int h, int d_k) {
  unsigned columns = 1, rows = 1;  // of a block: powers of two, at most 256 threads
  while (columns < unsigned(d_k) && columns < cuda::warp_lanes) columns *= 2;
  while (rows < unsigned(t) && rows * columns < cuda::block_threads) rows *= 2;
  const unsigned blocks = cuda::blocks_for(t, static_cast<int>(rows));  // of a head
  cuda::launch({"swap_middle_axes", static_cast<unsigned>(batch * h) * blocks, dim3(columns, rows)},
               swap_middle_axes_of_heads<Numbers>, x, y, t, h, d_k, blocks);
}

}  // namespace

template <>
void swap_middle_axes(Cuda, const float* x, const Output& y, int batch, int t, int h, int d_k) {
  const cuda::Written to = written(y, std::ptrdiff_t(batch) * t * h * d_k);
  if (d_k % 4 == 0 && cuda::begins_at_16_bytes(x, y.data))
    swap_heads(reinterpret_cast<const float4*>(x), to, batch, t, h, d_k / 4);
  else
    swap_heads(x, to, batch, t, h, d_k);
}

}  // namespace xf::kernel
