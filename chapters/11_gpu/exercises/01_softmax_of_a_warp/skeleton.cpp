#include "exercise.hpp"

namespace xf::exercise {

__device__ float sum_of_warp(float value) { TODO("11-01: my/11-01_softmax_of_a_warp.cpp"); }

__global__ void softmax_rows(const float* x, float* y, int rows, int columns) {
  TODO("11-01: my/11-01_softmax_of_a_warp.cpp");
}

}  // namespace xf::exercise
