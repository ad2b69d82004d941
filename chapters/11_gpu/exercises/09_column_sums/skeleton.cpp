#include "exercise.hpp"

namespace xf::exercise {

void bias_gradient(const float* dy, float* db, int rows, int columns) {
  TODO("11-09: my/11-09_column_sums.cpp");
}

}  // namespace xf::exercise
