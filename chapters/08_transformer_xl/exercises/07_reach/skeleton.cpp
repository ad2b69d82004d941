#include "exercise.hpp"

namespace xf::exercise {

std::vector<double> losses(const Model& model, const std::vector<int>& text) {
  TODO("08-07: chapters/08_transformer_xl/exercises/07_reach/exercise.cpp");
}

std::vector<double> influence(const Model& model, const std::vector<int>& text, int at,
                              int furthest, int words) {
  TODO("08-07: chapters/08_transformer_xl/exercises/07_reach/exercise.cpp");
}

int reach(const std::vector<double>& influences, double share) {
  TODO("08-07: chapters/08_transformer_xl/exercises/07_reach/exercise.cpp");
}

/* Answer:
 */
int possible(int at, const Model& model) {
  TODO("08-07: chapters/08_transformer_xl/exercises/07_reach/exercise.cpp");
}

}  // namespace xf::exercise
