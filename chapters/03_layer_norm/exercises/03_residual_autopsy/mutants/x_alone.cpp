// en: x alone: the branch f(norm(x)) is missing
// zh: 只有 x：漏了支路 f(norm(x))

#include "exercise.hpp"

namespace xf::exercise {

Tensor residual(const Tensor& input, const Layer& norm, const Layer& f) { return input; }

}  // namespace xf::exercise
