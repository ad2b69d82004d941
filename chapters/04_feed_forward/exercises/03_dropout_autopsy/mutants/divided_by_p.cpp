// en: divided by p, the share that is dropped: the share that stays is 1 - p
// zh: 除以了 p，即丢弃的比例：留下的比例是 1 - p

#include "exercise.hpp"

namespace xf::exercise {

Matrix dropout(const Matrix& x, const Matrix& keep, float p, bool training) {
  if (!training) return x;
  return x * keep / p;
}

}  // namespace xf::exercise
