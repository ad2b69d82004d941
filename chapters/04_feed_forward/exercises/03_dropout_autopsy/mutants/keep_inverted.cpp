// en: the mask was read the wrong way round: keep is 1 where the number stays
// zh: 掩码读反了：keep 为 1 表示保留

#include "exercise.hpp"

namespace xf::exercise {

Matrix dropout(const Matrix& x, const Matrix& keep, float p, bool training) {
  if (!training) return x;
  return x * (1 - keep) / (1 - p);
}

}  // namespace xf::exercise
