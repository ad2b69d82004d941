// en: scaled by 1 - p in use instead: the older form; here training scales, use changes nothing
// zh: 改成了推理时乘以 1 - p：那是较早的写法；这里在训练时放大，推理时原样返回

#include "exercise.hpp"

namespace xf::exercise {

Matrix dropout(const Matrix& x, const Matrix& keep, float p, bool training) {
  if (!training) return x * (1 - p);
  return x * keep;
}

}  // namespace xf::exercise
