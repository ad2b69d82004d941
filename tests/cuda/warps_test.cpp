#include <doctest/doctest.h>

#include <string>

#include "cuda/launch.hpp"
#include "support/errors.hpp"

// Barriers and shuffles of parts of a block or a warp: which of them may meet?
namespace xf {

namespace {

enum class Warp { whole, halves, left_out, reads_left_out, two_shuffles, two_masks };

constexpr unsigned low_half = 0x0000ffff, high_half = 0xffff0000;

// The sums of half a warp's numbers, by its own lanes; where that is right, it ends in a shuffle of
// the whole warp, of which the low half has made one more than the high one.
__global__ void half_sums(float* y, Warp how) {
  const bool low = threadIdx.x < 16;
  const unsigned own = low ? low_half : high_half;
  const unsigned lanes = how == Warp::whole              ? ~0u
                         : how == Warp::left_out         ? low_half
                         : how == Warp::two_masks && low ? ~0u
                                                         : own;
  float value = static_cast<float>(threadIdx.x);
  if (how == Warp::two_shuffles) {
    if (low)
      value = __shfl_xor_sync(~0u, value, 1);
    else
      value = __shfl_xor_sync(~0u, value, 2);
  }
  const int farthest = how == Warp::reads_left_out ? 16 : 8;
  for (int distance = farthest; distance > 0; distance /= 2)
    value += __shfl_xor_sync(lanes, value, distance);
  if (low && how == Warp::halves) value = __shfl_sync(own, value, 3);
  y[threadIdx.x] = value + __shfl_sync(~0u, value, 31 - static_cast<int>(threadIdx.x));
}

__global__ void two_barriers(float* y) {
  __shared__ float held;
  if (threadIdx.x == 0) {
    held = 1;
    __syncthreads();
  } else {
    __syncthreads();
  }
  y[threadIdx.x] = held;
}

}  // namespace

TEST_CASE("emulator: lanes meet those of their mask, at one line") {
  cuda::Buffer<float> y(warpSize);
  const auto said = [&](Warp how) {
    return test::error_of<emulator::BrokenKernel>([&] {
      cuda::launch({"half_sums", 1, warpSize}, half_sums, y.data(), how);
    });
  };
  const std::string where = "half_sums, block (0, 0, 0): ";
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    emulator::set_schedule(seed);
    CHECK(said(Warp::halves).empty());
    for (const float sums : y.values()) CHECK(sums == 120 + 376);  // 0 + ... + 15, 16 + ... + 31
    CHECK(said(Warp::left_out) ==
          where + "a lane calls a shuffle or barrier whose mask leaves it out");
    CHECK(said(Warp::reads_left_out) == where + "a shuffle reads a lane that its mask leaves out");
    test::expect_parts(said(Warp::two_shuffles),
                       {"lanes of a warp wait at different shuffles or barriers, in lines "});
    test::expect_parts(said(Warp::two_masks), {"lanes of a warp"});
  }
}

TEST_CASE("emulator: a warp's halves may not wait for each other at different barriers") {
  cuda::Buffer<float> y(64);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    emulator::set_schedule(seed);
    const std::string said = test::error_of<emulator::BrokenKernel>([&] {
      cuda::launch({"two_barriers", 1, 64}, two_barriers, y.data());
    });
    CHECK(said.find("threads wait at different barriers, in lines ") != std::string::npos);
  }
}

}  // namespace xf
