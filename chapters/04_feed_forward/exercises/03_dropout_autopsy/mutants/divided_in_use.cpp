// en: divided by 1 - p in use too: there nothing is dropped, so nothing is made up for
// zh: 推理时也除以了 1 - p：那时什么都没丢，不必补偿

#include "exercise.hpp"

namespace xf::exercise {

Matrix dropout(const Matrix& x, const Matrix& keep, float p, bool training) {
  if (!training) return x / (1 - p);
  return x * keep / (1 - p);
}

}  // namespace xf::exercise
