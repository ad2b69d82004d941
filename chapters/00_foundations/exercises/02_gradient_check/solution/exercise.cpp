#include "exercise.hpp"

namespace xf::exercise {

static double moved(const Function& f, Numbers x, std::size_t i, double by) {
  x[i] += by;
  return f(x);
}

Numbers central_differences(const Function& f, const Numbers& x, double eps) {
  Numbers c(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    c[i] = (moved(f, x, i, eps) - moved(f, x, i, -eps)) / (2 * eps);
  return c;
}

std::vector<Verdict> check_gradient(const Function& f, const Numbers& x, const Numbers& g,
                                    double eps, double tolerance) {
  const Numbers c = central_differences(f, x, eps);
  std::vector<Verdict> verdicts(x.size(), Verdict::right);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double u = (moved(f, x, i, eps) - f(x)) / eps;
    const double d = (f(x) - moved(f, x, i, -eps)) / eps;
    const double slope = std::max({1.0, std::abs(u), std::abs(d)});
    const double size = std::max({1.0, std::abs(c[i]), std::abs(g[i])});
    if (std::abs(u - d) > 0.1 * slope)
      verdicts[i] = Verdict::kink;
    else if (std::abs(c[i] - g[i]) > tolerance * size)
      verdicts[i] = Verdict::wrong;
  }
  return verdicts;
}

}  // namespace xf::exercise
