#pragma once

#include <cstddef>
#include <exception>
#include <tuple>
#include <type_traits>

#include "cuda/device_memory.hpp"
#ifdef __CUDACC__
#include "cuda/stream.hpp"
#else
#include "cuda/emulator.hpp"
#endif

// What every kernel needs: a launch, and sums over its threads. A .cu file that includes this is
// compiled by nvcc for a GPU, or by the C++ compiler for the emulator.
namespace xf::cuda {

struct Launch {
  const char* kernel;  // its name, for messages
  dim3 grid, block;
  std::size_t shared_bytes = 0;  // dynamic shared memory
};

#ifdef __CUDACC__

template <class... Parameters>
void start(const Launch& how, void (*kernel)(Parameters...),
           std::type_identity_t<Parameters>... arguments) {
  kernel<<<how.grid, how.block, how.shared_bytes, stream()>>>(arguments...);
  check(cudaGetLastError(), how.kernel);
}

template <class T>
__device__ T* dynamic_shared() {
  extern __shared__ __align__(32) float4 dynamic_shared_memory[];  // required by fragments
  return reinterpret_cast<T*>(dynamic_shared_memory);
}

#else

template <class... Parameters>
void start(const Launch& how, void (*kernel)(Parameters...),
           std::type_identity_t<Parameters>... arguments) {
  struct Call {
    void (*kernel)(Parameters...);
    std::tuple<Parameters...> arguments;
    mutable std::exception_ptr thrown;  // by the kernel; cannot leave the fiber itself
  };
  int number = 0;
  (emulator::check_argument(how.kernel, ++number, arguments), ...);
  const auto thread = [](const void* from) {
    const Call& one = *static_cast<const Call*>(from);
    try {
      std::apply(one.kernel, one.arguments);
    } catch (...) {
      one.thrown = std::current_exception();
    }
    if (one.thrown) emulator::broken("an exception");
  };
  const Call call{kernel, {arguments...}, nullptr};
  try {
    emulator::run({how.kernel, how.grid, how.block, how.shared_bytes}, thread, &call, sizeof call);
  } catch (const emulator::BrokenKernel&) {
    if (call.thrown) std::rethrow_exception(call.thrown);
    throw;
  }
}

template <class T>
T* dynamic_shared() {
  return static_cast<T*>(emulator::dynamic_shared_memory());
}

#endif

// kernel<<<grid, block>>>(arguments...), or nothing if the grid is empty.
template <class... Parameters, class... Arguments>
void launch(const Launch& how, void (*kernel)(Parameters...), Arguments... arguments) {
  if (how.grid.x == 0 || how.grid.y == 0 || how.grid.z == 0) return;
  start(how, kernel, static_cast<Parameters>(arguments)...);
}

// ---- one thread a number ------------------------------------------------------------------------

constexpr int block_threads = 256;

inline unsigned blocks_for(std::ptrdiff_t count, int per_block) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}

// One thread per number, rounded up to whole blocks.
inline Launch one_thread_each(const char* kernel, std::ptrdiff_t count) {
  return {kernel, blocks_for(count, block_threads), block_threads};
}
__device__ inline std::ptrdiff_t thread_number() {
  return static_cast<std::ptrdiff_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// ---- one warp a row -----------------------------------------------------------------------------

constexpr int warp_lanes = 32;

// One warp per row, four warps per block.
inline Launch one_warp_each(const char* kernel, std::ptrdiff_t rows) {
  return {kernel, blocks_for(rows, 4), 4 * warp_lanes};
}
__device__ inline std::ptrdiff_t warp_number() { return thread_number() / warp_lanes; }
__device__ inline int lane_number() { return static_cast<int>(threadIdx.x) % warp_lanes; }

// The sum or maximum over all lanes, returned in every lane: halves of the warp exchange values,
// then quarters, then eighths ... With `lanes` of 16, 8 ..., each such group is reduced separately.
__device__ inline float warp_sum(float value, int lanes = warp_lanes) {
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(~0u, value, distance);
  return value;
}
__device__ inline float warp_max(float value, int lanes = warp_lanes) {
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(~0u, value, distance));
  return value;
}

// ---- one warp a stretch of a row ----------------------------------------------------------------

// For kernels that copy rows: a warp handles about 128 numbers of one row, so that it computes the
// row once, and no thread divides its index by the row length. Four rows per block.
inline Launch one_warp_each_stretch(const char* kernel, std::ptrdiff_t rows,
                                    std::ptrdiff_t columns) {
  const unsigned stretches = blocks_for(columns, 4 * warp_lanes), most = 65535;  // blocks in y
  return {kernel, dim3(blocks_for(rows, 4), stretches < most ? stretches : most), 4 * warp_lanes};
}
// A warp handles row warp_number(), if it exists; a lane handles the columns first_column(),
// first_column() + column_step() ...
__device__ inline std::ptrdiff_t first_column() {
  return std::ptrdiff_t(blockIdx.y) * warp_lanes + lane_number();
}
__device__ inline std::ptrdiff_t column_step() { return std::ptrdiff_t(gridDim.y) * warp_lanes; }

// ---- one block a row ----------------------------------------------------------------------------

// One block per row, with one warp for every 32 of its numbers, but at most eight.
inline Launch one_block_each(const char* kernel, std::ptrdiff_t rows, int columns) {
  const unsigned warps = blocks_for(columns, warp_lanes), most = block_threads / warp_lanes;
  return {kernel, static_cast<unsigned>(rows), (warps < most ? warps : most) * warp_lanes};
}
__device__ inline int threads_of_block() { return static_cast<int>(blockDim.x); }

// The number of threads of a block that sums `count` numbers in a tree: a power of two.
inline unsigned tree_threads(std::ptrdiff_t count) {
  unsigned threads = warp_lanes;
  while (threads < block_threads && threads < count) threads *= 2;
  return threads;
}

// The sum or maximum over all threads, returned in every thread; each warp reduces its own values
// first. `scratch` is shared memory for 32 numbers; other uses before or after need a barrier.
__device__ inline float block_sum(float value, float* scratch) {
  const int warp = static_cast<int>(threadIdx.x) / warp_lanes;
  const int warps = static_cast<int>(blockDim.x) / warp_lanes;
  value = warp_sum(value);
  __syncthreads();  // all reads of `scratch` are done
  if (lane_number() == 0) scratch[warp] = value;
  __syncthreads();
  value = 0;
  for (int i = 0; i < warps; ++i) value += scratch[i];
  return value;
}
__device__ inline float block_max(float value, float* scratch) {
  const int warp = static_cast<int>(threadIdx.x) / warp_lanes;
  const int warps = static_cast<int>(blockDim.x) / warp_lanes;
  value = warp_max(value);
  __syncthreads();
  if (lane_number() == 0) scratch[warp] = value;
  __syncthreads();
  value = scratch[0];
  for (int i = 1; i < warps; ++i) value = fmaxf(value, scratch[i]);
  return value;
}

}  // namespace xf::cuda
