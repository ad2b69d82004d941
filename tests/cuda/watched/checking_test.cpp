#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cuda/launch.hpp"
#include "support/errors.hpp"

// Faults that the emulator alone passes over, or that a GPU shows only sometimes: with hooks in the
// kernels each is found, under every order of the threads.
namespace xf::test {

namespace {

using cuda::Buffer, cuda::launch;

constexpr unsigned threads = 64, blocks = 4;

Buffer<float>& filled(Buffer<float>& buffer, std::size_t count) {
  const std::vector<float> ones(count, 1.0f);
  cuda::copy_to_device(buffer.data(), ones.data(), count * sizeof(float));
  return buffer;
}

// What stops the kernel under each of some schedules, "" where nothing does.
template <class Kernel, class... Arguments>
std::string stopped(Kernel kernel, Arguments... arguments) {
  std::string said;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    emulator::set_schedule(seed);
    try {
      launch({"kernel", blocks, threads}, kernel, arguments...);
      if (seed > 0) CHECK(said == "");
    } catch (const emulator::BrokenKernel& broken) {
      if (seed > 0) CHECK(said != "");
      said = broken.what();
    }
  }
  return said;
}

template <class Kernel>
std::string stopped_on_numbers(Kernel kernel) {
  Buffer<float> x(threads * blocks), y(threads * blocks);
  return stopped(kernel, filled(x, threads * blocks).data(), filled(y, threads * blocks).data());
}

__device__ std::ptrdiff_t own() { return cuda::thread_number(); }

// ---- two threads, one number --------------------------------------------------------------------

__global__ void add_to_one_shared(const float* x, float* y) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  sum += x[own()];
  __syncthreads();
  y[own()] = sum;
}

__global__ void add_atomically_to_one_shared(const float* x, float* y) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, x[own()]);
  __syncthreads();
  y[own()] = sum;
}

__global__ void blocks_add_to_one(const float* x, float* y) {
  if (threadIdx.x == 0) y[0] += x[own()];
}

__global__ void all_write_the_same(const float*, float* y) { y[0] = 2; }

__global__ void neighbour_in_the_warp(const float* x, float* y) {
  __shared__ float of_lanes[threads];
  of_lanes[threadIdx.x] = x[own()];
  __shfl_sync(~0u, 0, 0);  // all have come here, but what they wrote need not have
  y[own()] = of_lanes[threadIdx.x ^ 1];
}

__global__ void neighbour_behind_syncwarp(const float* x, float* y) {
  __shared__ float of_lanes[threads];
  of_lanes[threadIdx.x] = x[own()];
  __syncwarp();
  y[own()] = of_lanes[threadIdx.x ^ 1];
}

__global__ void neighbour_in_another_warp(const float* x, float* y) {
  __shared__ float of_threads[threads];
  of_threads[threadIdx.x] = x[own()];
  __syncwarp();
  y[own()] = of_threads[(threadIdx.x + 32) % threads];
}

__global__ void a_warp_leaves_before_the_barrier(const float* x, float* y) {
  if (threadIdx.x >= 32) return;
  __syncthreads();
  y[own()] = x[own()];
}

__global__ void some_lanes_leave_before_the_sum(const float* x, float* y) {
  if (threadIdx.x % 32 >= 20) return;
  y[own()] = cuda::warp_sum(x[own()]);
}

__global__ void warps_wait_at_different_barriers(const float* x, float* y) {
  if (threadIdx.x >= 32)
    __syncthreads();
  else
    __syncthreads();
  y[own()] = x[own()];
}

// The last block to finish adds up what all have written.
__device__ void last_block_sums(const float* x, float* y, int* finished, bool fence) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    y[1 + blockIdx.x] = x[own()];
    if (fence) __threadfence();
    last = atomicAdd(finished, 1) == int(gridDim.x) - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x > 0) return;
  if (fence) __threadfence();
  float sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += y[1 + b];
  y[0] = sum;
}
__global__ void last_block_without_a_fence(const float* x, float* y, int* finished) {
  last_block_sums(x, y, finished, false);
}
__global__ void last_block_behind_a_fence(const float* x, float* y, int* finished) {
  last_block_sums(x, y, finished, true);
}

// ---- memory -------------------------------------------------------------------------------------

__global__ void reads_one_too_far(const float* x, float* y) { y[own()] = x[own() + 1]; }
__global__ void writes_one_too_far(const float* x, float* y) { y[own() + 1] = x[own()]; }
__global__ void copies(const float* x, float* y) { y[own()] = x[own()]; }

__global__ void reads_unset_shared(const float* x, float* y) {
  __shared__ float strip[threads];
  if (threadIdx.x > 0) strip[threadIdx.x] = x[own()];
  __syncthreads();
  y[own()] = strip[threads - 1 - threadIdx.x];
}

__global__ void reads_a_float4_askew(const float* x, float* y) {
  y[own()] = reinterpret_cast<const float4*>(x + 1)->x;
}

__global__ void reads_beyond_an_array(const float* x, float* y) {
  __shared__ float strip[threads];
  strip[threadIdx.x] = x[own()];
  __syncthreads();
  const int next = static_cast<int>(threadIdx.x) + 1;
  y[own()] = strip[next];
}

__global__ void counts_in_32_bits(const float* x, float* y) {
  const int rows = 50000 + static_cast<int>(threadIdx.x);
  y[own()] = rows * rows > 0 ? x[own()] : 0;
}

}  // namespace

TEST_CASE("checking: threads of a block that add to one number without an atomic") {
  expect_parts(stopped_on_numbers(add_to_one_shared), {"no barrier orders them"});
  CHECK(stopped_on_numbers(add_atomically_to_one_shared) == "");
}

TEST_CASE("checking: blocks that write one number") {
  expect_parts(stopped_on_numbers(blocks_add_to_one), {"another block uses, too"});
  CHECK(stopped_on_numbers(all_write_the_same) != "");
}

TEST_CASE("checking: a shuffle is no barrier for memory, and __syncwarp is one for the warp") {
  expect_parts(stopped_on_numbers(neighbour_in_the_warp), {"no barrier orders them"});
  CHECK(stopped_on_numbers(neighbour_behind_syncwarp) == "");
  expect_parts(stopped_on_numbers(neighbour_in_another_warp), {"shared memory"});
}

TEST_CASE("checking: the last block needs a fence before what the others wrote") {
  Buffer<float> x(threads * blocks), y(1 + blocks);
  const auto run = [&](auto kernel) {
    std::string said;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      Buffer<int> finished(1);
      const int none = 0;
      cuda::copy_to_device(finished.data(), &none, sizeof none);
      emulator::set_schedule(seed);
      try {
        launch({"kernel", blocks, threads}, kernel, filled(x, threads * blocks).data(),
               filled(y, 1 + blocks).data(), finished.data());
      } catch (const emulator::BrokenKernel& broken) {
        said = broken.what();
      }
    }
    return said;
  };
  expect_parts(run(last_block_without_a_fence), {"no fence before an atomic orders them"});
  CHECK(run(last_block_behind_a_fence) == "");
}

TEST_CASE("checking: whoever waits for ever is told with the hooks, too") {
  expect_parts(stopped_on_numbers(a_warp_leaves_before_the_barrier), {"barrier"});
  expect_parts(stopped_on_numbers(some_lanes_leave_before_the_sum),
               {"for lanes of their warp that do not come"});
  expect_parts(stopped_on_numbers(warps_wait_at_different_barriers), {"different barriers"});
}

TEST_CASE("checking: one number beyond a block of memory, read or written") {
  expect_parts(stopped_on_numbers(reads_one_too_far),
               {"0 bytes behind the end of an allocation of 1024"});
  expect_parts(stopped_on_numbers(writes_one_too_far),
               {"0 bytes behind the end of an allocation of 1024"});
  CHECK(stopped_on_numbers(copies) == "");
}

TEST_CASE("checking: memory that nobody has written to") {
  Buffer<float> x(threads * blocks), y(threads * blocks);
  expect_parts(stopped(copies, static_cast<const float*>(x.data()), y.data()),
               {"reads device memory that nobody has written to"});
  expect_parts(stopped_on_numbers(reads_unset_shared), {"reads shared memory that nobody has"});
}

TEST_CASE("checking: loads that are not aligned, an index outside, a sum too large") {
  expect_parts(stopped_on_numbers(reads_a_float4_askew), {"no multiple of 16 bytes"});
  expect_parts(stopped_on_numbers(reads_beyond_an_array), {"index 64 is outside its array"});
  expect_parts(stopped_on_numbers(counts_in_32_bits), {"overflows its integer type"});
}

}  // namespace xf::test
