#include "cuda/launch.hpp"
#include "cuda/steps/steps.hpp"

namespace xf::steps {

namespace {

using cuda::block_threads;

// Step 1. Atomic additions, one after another in an unknown order: all threads update the same
// number.
__global__ void one_number(const float* x, float* y, int count) {
  const std::ptrdiff_t i = cuda::thread_number();
  if (i < count) atomicAdd(y, x[i]);
}

// The sum of one thread's numbers, which are (number of threads) apart.
__device__ float of_thread(const float* x, int count) {
  float sum = 0;
  const std::ptrdiff_t threads = std::ptrdiff_t(gridDim.x) * blockDim.x;
  for (std::ptrdiff_t i = cuda::thread_number(); i < count; i += threads) sum += x[i];
  return sum;
}

// Step 2. A block adds up its threads' numbers in a tree: neighbours, then neighbours' neighbours.
// Half of the threads of each warp are idle at first, then three quarters, and so on.
__global__ void tree_of_neighbours(const float* x, float* sums, int count) {
  __shared__ float numbers[block_threads];
  const int self = static_cast<int>(threadIdx.x);
  numbers[self] = of_thread(x, count);
  __syncthreads();
  for (int apart = 1; apart < block_threads; apart *= 2) {
    if (self % (2 * apart) == 0) numbers[self] += numbers[self + apart];
    __syncthreads();
  }
  if (self == 0) sums[blockIdx.x] = numbers[0];
}

// Step 3. The same tree, but the first threads do the work, so that most warps are fully busy or
// idle. Now the words that a warp accesses are 2, 4, 8 ... apart, and fall into few banks.
__global__ void tree_of_first_threads(const float* x, float* sums, int count) {
  __shared__ float numbers[block_threads];
  const int self = static_cast<int>(threadIdx.x);
  numbers[self] = of_thread(x, count);
  __syncthreads();
  for (int apart = 1; apart < block_threads; apart *= 2) {
    const int at = 2 * apart * self;
    if (at < block_threads) numbers[at] += numbers[at + apart];
    __syncthreads();
  }
  if (self == 0) sums[blockIdx.x] = numbers[0];
}

// Step 4. Another tree: the second half is added to the first, so that the lanes of a warp always
// access adjacent words.
__global__ void tree_of_halves(const float* x, float* sums, int count) {
  __shared__ float numbers[block_threads];
  const int self = static_cast<int>(threadIdx.x);
  numbers[self] = of_thread(x, count);
  __syncthreads();
  for (int half = block_threads / 2; half > 0; half /= 2) {
    if (self < half) numbers[self] += numbers[self + half];
    __syncthreads();
  }
  if (self == 0) sums[blockIdx.x] = numbers[0];
}

// Step 5. Lanes exchange numbers without shared memory; only one number per warp is stored there,
// and the first warp adds these up. One barrier replaces nine.
__global__ void warps_first(const float* x, float* sums, int count) {
  constexpr int warps = block_threads / cuda::warp_lanes;
  __shared__ float numbers[warps];
  const int lane = cuda::lane_number(), warp = static_cast<int>(threadIdx.x) / cuda::warp_lanes;
  const float of_warp = cuda::warp_sum(of_thread(x, count));
  if (lane == 0) numbers[warp] = of_warp;
  __syncthreads();
  if (warp > 0) return;
  const float of_block = cuda::warp_sum(lane < warps ? numbers[lane] : 0);
  if (lane == 0) sums[blockIdx.x] = of_block;
}

using Kernel = void (*)(const float*, float*, int);

// First the sum of each block, then, in a single block, the sum of these.
void in_two(const char* name, Kernel kernel, unsigned blocks, const float* x, float* sums, float* y,
            int count) {
  cuda::launch({name, blocks, block_threads}, kernel, x, sums, count);
  cuda::launch({name, 1, block_threads}, kernel, sums, y, static_cast<int>(blocks));
}

unsigned one_number_each(int count) { return cuda::blocks_for(count, block_threads); }

}  // namespace

void sum_one_number(const float* x, float*, float* y, int count) {
  cuda::launch(cuda::one_thread_each("one_number", count), one_number, x, y, count);
}
void sum_tree_of_neighbours(const float* x, float* sums, float* y, int count) {
  in_two("tree_of_neighbours", tree_of_neighbours, one_number_each(count), x, sums, y, count);
}
void sum_tree_of_first_threads(const float* x, float* sums, float* y, int count) {
  in_two("tree_of_first_threads", tree_of_first_threads, one_number_each(count), x, sums, y, count);
}
void sum_tree_of_halves(const float* x, float* sums, float* y, int count) {
  in_two("tree_of_halves", tree_of_halves, one_number_each(count), x, sums, y, count);
}
void sum_warps_first(const float* x, float* sums, float* y, int count) {
  in_two("warps_first", warps_first, one_number_each(count), x, sums, y, count);
}
// Step 6. Only a few blocks, each of whose threads adds up many numbers on its own first: the tree
// with its barriers is built `blocks` times instead of once for every 256 numbers.
void sum_many_a_thread(const float* x, float* sums, float* y, int count) {
  const unsigned most = 128, blocks = one_number_each(count);
  in_two("many_a_thread", warps_first, blocks < most ? blocks : most, x, sums, y, count);
}

}  // namespace xf::steps
