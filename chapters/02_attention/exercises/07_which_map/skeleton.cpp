#include "exercise.hpp"

namespace xf::exercise {

std::vector<Fault> which(const std::vector<xt::xtensor<float, 2>>& maps) {
  TODO("02-07: my/02-07_which_map.cpp");
}

}  // namespace xf::exercise
