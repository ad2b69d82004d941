#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> batch_norm(BatchNorm& norm, const xt::xtensor<float, 2>& x,
                                 const xt::xtensor<float, 1>& gamma,
                                 const xt::xtensor<float, 1>& beta, bool training) {
  TODO("03-04: chapters/03_layer_norm/exercises/04_batch_norm/exercise.cpp");
}

}  // namespace xf::exercise
