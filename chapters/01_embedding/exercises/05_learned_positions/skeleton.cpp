#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 3> add_positions(const xt::xtensor<float, 3>& x,
                                    const xt::xtensor<float, 2>& positions, int past) {
  TODO("01-05: my/01-05_learned_positions.cpp");
}

xt::xtensor<float, 2> positions_backward(const xt::xtensor<float, 3>& dy, int max, int past) {
  TODO("01-05: my/01-05_learned_positions.cpp");
}

}  // namespace xf::exercise
