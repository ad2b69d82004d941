// en: numbers are dropped outside training too: the same input gives another output each time
// zh: 不训练时也在丢：同样的输入，每次输出都不同

#include "exercise.hpp"

namespace xf::exercise {

Matrix dropout(const Matrix& x, const Matrix& keep, float p, bool training) {
  return x * keep / (1 - p);
}

}  // namespace xf::exercise
