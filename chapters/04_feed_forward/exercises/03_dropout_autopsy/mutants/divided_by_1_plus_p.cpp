// en: divided by 1 + p: the share that stays is 1 - p
// zh: 除以了 1 + p：留下的比例是 1 - p

#include "exercise.hpp"

namespace xf::exercise {

Matrix dropout(const Matrix& x, const Matrix& keep, float p, bool training) {
  if (!training) return x;
  return x * keep / (1 + p);
}

}  // namespace xf::exercise
