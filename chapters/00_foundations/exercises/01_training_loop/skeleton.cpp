#include "exercise.hpp"

namespace xf::exercise {

float backward(Model& model, const xt::xtensor<float, 2>& x, const xt::xtensor<float, 1>& y) {
  TODO("00-01: my/00-01_training_loop.cpp");
}

std::vector<float> train(Model& model, const xt::xtensor<float, 2>& x,
                         const xt::xtensor<float, 1>& y, int epochs, int batch, float rate) {
  TODO("00-01: my/00-01_training_loop.cpp");
}

}  // namespace xf::exercise
