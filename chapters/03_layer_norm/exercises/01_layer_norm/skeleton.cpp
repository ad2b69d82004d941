#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> layer_norm(const xt::xtensor<float, 2>& x, const xt::xtensor<float, 1>& gamma,
                                 const xt::xtensor<float, 1>& beta, float eps) {
  TODO("03-01: my/03-01_layer_norm.cpp");
}

}  // namespace xf::exercise
