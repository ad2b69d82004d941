#include "exercise.hpp"

namespace xf::exercise {

/* I expect, of three seeds each:
   post-norm without warm-up:
   post-norm with warm-up:
   pre-norm without warm-up:
 */

double rate(int update, int warm_up, double peak) { TODO("03-05: my/03-05_warm_up.cpp"); }

std::vector<double> losses(const TrainingRun& training, int updates, int warm_up, double peak) {
  TODO("03-05: my/03-05_warm_up.cpp");
}

bool learned(const std::vector<double>& losses, int words) { TODO("03-05: my/03-05_warm_up.cpp"); }

Row over_seeds(const Maker& make, const std::vector<std::uint64_t>& seeds, int updates, int warm_up,
               double peak) {
  TODO("03-05: my/03-05_warm_up.cpp");
}

/* Answer:
 */
Written written() { TODO("03-05: my/03-05_warm_up.cpp"); }

}  // namespace xf::exercise
