#include "exercise.hpp"

namespace xf::exercise {

NormGradients layer_norm_backward(const Tensor& x, const Tensor& gamma, const Tensor& dy,
                                  float eps) {
  TODO("03-02: my/03-02_layer_norm_backward.cpp");
}

}  // namespace xf::exercise
