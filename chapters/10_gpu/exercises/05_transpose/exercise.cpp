#include "exercise.hpp"

namespace xf::exercise {

__global__ void transpose(const float* x, float* y, int rows, int columns) {
  TODO("10-05: chapters/10_gpu/exercises/05_transpose/exercise.cpp");
}

}  // namespace xf::exercise
