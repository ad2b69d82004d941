#include "exercise.hpp"

namespace xf::exercise {

// Written by somebody who tried it with 1,024 numbers.
__global__ void add_scaled(float a, const float* x, float* y, int count) {
  TODO("11-07: my/11-07_leftover_autopsy.cpp");
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float4 of_x = *reinterpret_cast<const float4*>(x + 4 * i);
  float4 of_y = *reinterpret_cast<const float4*>(y + 4 * i);
  of_y.x += a * of_x.x;
  of_y.y += a * of_x.y;
  of_y.z += a * of_x.z;
  of_y.w += a * of_x.w;
  *reinterpret_cast<float4*>(y + 4 * i) = of_y;
}

}  // namespace xf::exercise
