#include "exercise.hpp"

namespace xf::exercise {

Matrix dropout(const Matrix& x, const Matrix& keep, float p, bool training) {
  TODO("04-03: chapters/04_feed_forward/exercises/03_dropout_autopsy/exercise.cpp");
  return x * keep;
}

}  // namespace xf::exercise
