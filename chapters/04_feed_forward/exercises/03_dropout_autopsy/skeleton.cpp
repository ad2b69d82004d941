#include "exercise.hpp"

namespace xf::exercise {

Matrix dropout(const Matrix& x, const Matrix& keep, float p, bool training) {
  TODO("04-03: my/04-03_dropout_autopsy.cpp");
  return x * keep;
}

Matrix variance(const Matrix& x, float p) { TODO("04-03: my/04-03_dropout_autopsy.cpp"); }

double too_large(int layers, float p) { TODO("04-03: my/04-03_dropout_autopsy.cpp"); }

}  // namespace xf::exercise
