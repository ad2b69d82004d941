#include "exercise.hpp"

namespace xf::exercise {

bool loss_is_right(const Build& build) {
  TODO("00-07: chapters/00_foundations/exercises/07_blind_autopsy/exercise.cpp");
}

bool loss_gradient_is_right(const Build& build) {
  TODO("00-07: chapters/00_foundations/exercises/07_blind_autopsy/exercise.cpp");
}

bool weight_gradient_is_right(const Build& build) {
  TODO("00-07: chapters/00_foundations/exercises/07_blind_autopsy/exercise.cpp");
}

bool step_is_right(const Build& build) {
  TODO("00-07: chapters/00_foundations/exercises/07_blind_autopsy/exercise.cpp");
}

bool batches_are_right(const Build& build) {
  TODO("00-07: chapters/00_foundations/exercises/07_blind_autopsy/exercise.cpp");
}

}  // namespace xf::exercise
