#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> batch_norm(BatchNorm& norm, const xt::xtensor<float, 2>& x,
                                 const xt::xtensor<float, 1>& gamma,
                                 const xt::xtensor<float, 1>& beta, bool training) {
  TODO("03-04: my/03-04_batch_norm.cpp");
}

}  // namespace xf::exercise
