#include "exercise.hpp"

namespace xf::exercise {

__global__ void transpose(const float* x, float* y, int rows, int columns) {
  TODO("11-05: chapters/11_gpu/exercises/05_transpose/exercise.cpp");
}

}  // namespace xf::exercise
