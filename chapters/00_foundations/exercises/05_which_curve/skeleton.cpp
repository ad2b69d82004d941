#include "exercise.hpp"

namespace xf::exercise {

/* I expect:
   healthy:
   rate_too_small:
   rate_too_large:
   few_examples:
   shuffled_targets:
 */

std::vector<Run> which(const std::vector<Curves>& runs, int classes) {
  TODO("00-05: my/00-05_which_curve.cpp");
}

}  // namespace xf::exercise
