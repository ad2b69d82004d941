#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> relative_shift(const xt::xtensor<float, 2>& x) {
  TODO("08-04: my/08-04_shift_by_reshape.cpp");
}

xt::xtensor<float, 2> relative_shift_backward(const xt::xtensor<float, 2>& dy) {
  TODO("08-04: my/08-04_shift_by_reshape.cpp");
}

}  // namespace xf::exercise
