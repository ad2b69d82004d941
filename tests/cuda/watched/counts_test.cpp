#include "cuda/counts.hpp"

#include <doctest/doctest.h>

#include "cuda/launch.hpp"
#include "cuda/steps/steps.hpp"

// Each kernel here does one thing that can be counted by hand.
namespace xf {

namespace {

using cuda::Buffer, cuda::KernelCounts, cuda::launch;

constexpr int warps = 4, threads = warps * warpSize;

__global__ void copy_each(const float* x, float* y, int stride, int shift) {
  const int i = static_cast<int>(threadIdx.x);
  y[i] = x[i * stride + shift];
}

__global__ void copy_fours(const float4* x, float4* y) { y[threadIdx.x] = x[threadIdx.x]; }

// Each lane reads the word at its number times `stride` of shared memory.
__global__ void through_shared(float* y, int stride) {
  __shared__ float held[32 * 33];
  const int i = static_cast<int>(threadIdx.x);
  for (int j = i; j < 32 * 33; j += warpSize) held[j] = 1;
  __syncwarp();
  y[i] = held[i * stride];
}

__global__ void fours_through_shared(float4* y, int stride) {
  __shared__ float4 held[64];
  const unsigned i = threadIdx.x;
  held[i] = held[i + 32] = {1, 2, 3, 4};
  __syncwarp();
  y[i] = held[i * static_cast<unsigned>(stride) % 64];
}

// Lanes below `first` go one way, the others another.
__global__ void part(float* y, unsigned first) {
  if (threadIdx.x % warpSize < first)
    y[threadIdx.x] += 1;
  else
    y[threadIdx.x] *= 3;
}

// As many rounds as the lane has a number: each ends for one of them.
__global__ void rounds(float* y) {
  float sum = 0;
  for (unsigned i = 0; i < threadIdx.x; ++i) sum += y[i];
  y[threadIdx.x + warpSize] = sum;
}

__global__ void add_up(float* sum) { atomicAdd(sum, 1.0f); }

template <class Work>
KernelCounts counts_of(const char* kernel, const Work& work) {
  const cuda::Counting counting;
  work();
  const auto found = counting.so_far().kernels.find(kernel);
  REQUIRE(found != counting.so_far().kernels.end());
  return found->second;
}

KernelCounts copied(int stride, int shift) {
  return counts_of("copy_each", [=] {
    Buffer<float> x(threads * 40), y(threads);
    launch({"copy_each", 1, threads}, copy_each, x.data(), y.data(), stride, shift);
  });
}

KernelCounts held(int stride) {
  return counts_of("through_shared", [=] {
    Buffer<float> y(warpSize);
    launch({"through_shared", 1, warpSize}, through_shared, y.data(), stride);
  });
}

KernelCounts parted(unsigned first) {
  return counts_of("part", [=] {
    Buffer<float> y(threads);
    launch({"part", 1, threads}, part, y.data(), first);
  });
}

}  // namespace

TEST_CASE("counts: transactions of a warp are the segments of 128 bytes that it touches") {
  const KernelCounts side_by_side = copied(1, 0);
  CHECK(side_by_side.launches == 1);
  CHECK(side_by_side.threads == threads);
  CHECK(side_by_side.accesses == 2 * warps);
  CHECK(side_by_side.transactions == 2 * warps);
  CHECK(side_by_side.bytes_read == 4 * threads);
  CHECK(side_by_side.bytes_written == 4 * threads);
  CHECK(copied(1, 1).transactions == 3 * warps);          // across the border of two segments
  CHECK(copied(2, 0).transactions == (2 + 1) * warps);    // every other number
  CHECK(copied(32, 0).transactions == (32 + 1) * warps);  // each in a segment of its own
  CHECK(copied(32, 0).bytes_read == 32 * threads);        // a sector for each
  CHECK(copied(0, 5).transactions == 2 * warps);          // all the same number
  CHECK(copied(0, 5).bytes_read == 32);
}

TEST_CASE("counts: a float4 is one load of 16 bytes") {
  const KernelCounts fours = counts_of("copy_fours", [] {
    Buffer<float4> x(threads), y(threads);
    launch({"copy_fours", 1, threads}, copy_fours, x.data(), y.data());
  });
  CHECK(fours.accesses == 2 * warps);
  CHECK(fours.transactions == 8 * warps);
  CHECK(fours.bytes_read == 16 * threads);
}

TEST_CASE("counts: words that differ but lie in one bank are fetched one after the other") {
  const long writes = 33;
  CHECK(held(1).shared_accesses == writes + 1);
  CHECK(held(1).conflicts == 0);
  CHECK(held(2).conflicts == 1);
  CHECK(held(8).conflicts == 7);
  CHECK(held(32).conflicts == 31);
  CHECK(held(33).conflicts == 0);  // a padded column
  CHECK(held(0).conflicts == 0);   // the same word for all
  const auto of_fours = [](int stride) {
    return counts_of("fours_through_shared", [=] {
      Buffer<float4> y(warpSize);
      launch({"fours_through_shared", 1, warpSize}, fours_through_shared, y.data(), stride);
    });
  };
  CHECK(of_fours(1).conflicts == 0);
  CHECK(of_fours(2).conflicts == 4);  // each quarter of the warp takes twice
}

TEST_CASE("counts: a branch counts where the lanes of a warp go different ways") {
  CHECK(parted(0).branches == 0);
  CHECK(parted(32).branches == 0);
  CHECK(parted(7).branches == warps);
  const KernelCounts loop = counts_of("rounds", [] {
    Buffer<float> y(2 * warpSize);
    launch({"rounds", 1, warpSize}, rounds, y.data());
  });
  CHECK(loop.branches == 31);
  CHECK(loop.accesses == 31 + 1);
}

TEST_CASE("counts: atomics are those of the threads, copies and allocations the host's") {
  const cuda::Counting counting;
  const float zero = 0;
  Buffer<float> sum(1);
  cuda::copy_to_device(sum.data(), &zero, sizeof zero);
  launch({"add_up", 2, threads}, add_up, sum.data());
  CHECK(sum.values()[0] == 2 * threads);
  const cuda::Counts& found = counting.so_far();
  CHECK(found.kernels.at("add_up").atomics == 2 * threads);
  CHECK(found.allocations == 1);
  CHECK(found.bytes_allocated == 4);
  CHECK(found.uploads == 1);
  CHECK(found.downloads == 1);
}

TEST_CASE("counts: the steps of a softmax, as the page tells them") {
  constexpr int rows = 32, columns = 128;
  const auto step = [=](const char* kernel, auto softmax) {
    return counts_of(kernel, [=] {
      Buffer<float> x(rows * columns), y(rows * columns);
      softmax(x.data(), y.data(), rows, columns);
    });
  };
  const KernelCounts thread = step("thread_a_row", steps::softmax_thread_a_row),
                     warp = step("warp_a_row", steps::softmax_warp_a_row),
                     fours = step("four_at_once", steps::softmax_four_at_once);
  CHECK(thread.transactions == 4 * 32 * columns);       // three reads and a write: a line a lane
  CHECK(warp.transactions == 4 * rows * columns / 32);  // the same by whole warps
  CHECK(warp.accesses == warp.transactions);
  CHECK(fours.accesses == warp.accesses / 4);
  CHECK(fours.transactions == warp.transactions);
  for (const KernelCounts& one : {thread, warp, fours}) {
    CHECK(one.bytes_read == 4 * rows * columns);
    CHECK(one.bytes_written == 4 * rows * columns);
  }
}

}  // namespace xf
