#include "exercise.hpp"

namespace xf::exercise {

void update(Adam& adam, std::vector<double>& p, const std::vector<double>& g, double rate) {
  TODO("07-05: my/07-05_adam.cpp");
}

std::vector<double> minimize(Adam& adam, std::vector<double> p, const GradientOf& gradient,
                             const std::vector<double>& rates) {
  TODO("07-05: my/07-05_adam.cpp");
}

}  // namespace xf::exercise
