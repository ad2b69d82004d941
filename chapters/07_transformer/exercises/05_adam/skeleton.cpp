#include "exercise.hpp"

namespace xf::exercise {

void update(Adam& adam, std::vector<double>& p, const std::vector<double>& g, double rate) {
  TODO("07-05: chapters/07_transformer/exercises/05_adam/exercise.cpp");
}

std::vector<double> minimize(Adam& adam, std::vector<double> p, const GradientOf& gradient,
                             const std::vector<double>& rates) {
  TODO("07-05: chapters/07_transformer/exercises/05_adam/exercise.cpp");
}

}  // namespace xf::exercise
