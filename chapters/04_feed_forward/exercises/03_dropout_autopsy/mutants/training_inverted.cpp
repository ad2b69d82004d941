// en: dropped in use and not in training: it is the other way round
// zh: 推理时丢、训练时不丢：正好反了

#include "exercise.hpp"

namespace xf::exercise {

Matrix dropout(const Matrix& x, const Matrix& keep, float p, bool training) {
  if (training) return x;
  return x * keep / (1 - p);
}

}  // namespace xf::exercise
