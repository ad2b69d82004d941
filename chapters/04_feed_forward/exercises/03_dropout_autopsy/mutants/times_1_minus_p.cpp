// en: multiplied by 1 - p while training: what stays is divided by it, and grows
// zh: 训练时乘了 1 - p：留下的值应除以它，变大

#include "exercise.hpp"

namespace xf::exercise {

Matrix dropout(const Matrix& x, const Matrix& keep, float p, bool training) {
  if (!training) return x;
  return x * keep * (1 - p);
}

}  // namespace xf::exercise
