#pragma once

#include <functional>
#include <vector>

#include "support/kit.hpp"

namespace xf::exercise {

using Numbers = std::vector<double>;
using Function = std::function<double(const Numbers& x)>;

enum class Verdict { right, wrong, kink };

// c_i = (f(x + eps e_i) - f(x - eps e_i)) / (2 eps).   x: (N)   returns (N)
Numbers central_differences(const Function& f, const Numbers& x, double eps);

// Is g the gradient of f at x? For each input:
//   kink    |u_i - d_i| > 0.1 max(1, |u_i|, |d_i|), the differences to either side
//   wrong   |c_i - g_i| > tolerance max(1, |c_i|, |g_i|), where there is no kink
//   x, g: (N)   returns (N)
std::vector<Verdict> check_gradient(const Function& f, const Numbers& x, const Numbers& g,
                                    double eps, double tolerance);

}  // namespace xf::exercise
