#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> shift_matrix(int k, int d) {
  TODO("01-04: chapters/01_embedding/exercises/04_shift_matrix/exercise.cpp");
}

xt::xtensor<float, 2> moved(const xt::xtensor<float, 2>& x, int k) {
  TODO("01-04: chapters/01_embedding/exercises/04_shift_matrix/exercise.cpp");
}

}  // namespace xf::exercise
