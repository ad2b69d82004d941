#include "exercise.hpp"

namespace xf::exercise {

Numbers central_differences(const Function& f, const Numbers& x, double eps) {
  TODO("00-02: my/00-02_gradient_check.cpp");
}

std::vector<Verdict> check_gradient(const Function& f, const Numbers& x, const Numbers& g,
                                    double eps, double tolerance) {
  TODO("00-02: my/00-02_gradient_check.cpp");
}

}  // namespace xf::exercise
