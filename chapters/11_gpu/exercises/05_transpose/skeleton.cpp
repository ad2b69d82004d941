#include "exercise.hpp"

namespace xf::exercise {

__global__ void transpose(const float* x, float* y, int rows, int columns) {
  TODO("11-05: my/11-05_transpose.cpp");
}

}  // namespace xf::exercise
