#include "exercise.hpp"

namespace xf::exercise {

float smoothed_cross_entropy(const xt::xtensor<float, 2>& logits, const std::vector<int>& targets,
                             float smoothing, int padding) {
  TODO("07-01: my/07-01_smoothed_cross_entropy.cpp");
}

}  // namespace xf::exercise
