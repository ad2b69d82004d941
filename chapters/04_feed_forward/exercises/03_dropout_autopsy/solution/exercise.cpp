#include "exercise.hpp"

namespace xf::exercise {

Matrix dropout(const Matrix& x, const Matrix& keep, float p, bool training) {
  if (!training) return x;
  return x * keep / (1 - p);
}

Matrix variance(const Matrix& x, float p) { return x * x * (p / (1 - p)); }

double too_large(int layers, float p) { return std::pow(1 / (1 - double(p)), layers); }

}  // namespace xf::exercise
