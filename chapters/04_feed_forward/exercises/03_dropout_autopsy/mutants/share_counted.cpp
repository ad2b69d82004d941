// en: divided by the share that happened to stay: it is 1 - p, whatever was drawn
// zh: 除以了这一次恰好留下的比例：应除以 1 - p，与抽到什么无关

#include "exercise.hpp"

namespace xf::exercise {

Matrix dropout(const Matrix& x, const Matrix& keep, float p, bool training) {
  if (!training) return x;
  return x * keep / xt::mean(keep)();
}

}  // namespace xf::exercise
