// en: f(x) alone: norm, and x in the sum, are missing
// zh: 只有 f(x)：漏了归一化，也没有加 x

#include "exercise.hpp"

namespace xf::exercise {

Tensor residual(const Tensor& input, const Layer& norm, const Layer& f) { return f(input); }

}  // namespace xf::exercise
