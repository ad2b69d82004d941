#pragma once

#include <functional>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

struct Adam {
  double beta1 = 0.9, beta2 = 0.98, eps = 1e-9;  // Vaswani et al. 2017, 5.3
  std::vector<double> m, v;                      // (N); empty before the first step
  int t = 0;                                     // steps taken
};

// One step.                                                   Kingma and Ba 2015, algorithm 1
//   p: (N), changed   g: (N), the gradient at p
void update(Adam& adam, std::vector<double>& p, const std::vector<double>& g, double rate);

using GradientOf = std::function<std::vector<double>(const std::vector<double>& p)>;

// A step for each of the rates, from p on.   Returns the parameters at the end, (N).
std::vector<double> minimize(Adam& adam, std::vector<double> p, const GradientOf& gradient,
                             const std::vector<double>& rates);

}  // namespace xf::exercise
