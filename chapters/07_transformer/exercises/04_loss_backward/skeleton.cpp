#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> cross_entropy_backward(const xt::xtensor<float, 2>& logits,
                                             const std::vector<int>& targets, float smoothing,
                                             int padding) {
  TODO("07-04: my/07-04_loss_backward.cpp");
}

}  // namespace xf::exercise
