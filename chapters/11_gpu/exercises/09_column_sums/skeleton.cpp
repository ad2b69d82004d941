#include "exercise.hpp"

namespace xf::exercise {

void bias_gradient(const float* dy, float* db, int rows, int columns) {
  TODO("11-09: chapters/11_gpu/exercises/09_column_sums/exercise.cpp");
}

}  // namespace xf::exercise
