#include "exercise.hpp"

namespace xf::exercise {

Matrix dropout(const Matrix& x, const Matrix& keep, float p, bool training) {
  if (!training) return x;
  return x * keep / (1 - p);
}

}  // namespace xf::exercise
