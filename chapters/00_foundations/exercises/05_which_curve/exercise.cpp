#include "exercise.hpp"

namespace xf::exercise {

std::vector<Run> which(const std::vector<Curves>& runs, int classes) {
  TODO("00-05: chapters/00_foundations/exercises/05_which_curve/exercise.cpp");
}

}  // namespace xf::exercise
