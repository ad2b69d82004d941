// en: norm(x) alone: neither x nor f is there
// zh: 只有 norm(x)：x 和 f 都不见了

#include "exercise.hpp"

namespace xf::exercise {

Tensor residual(const Tensor& input, const Layer& norm, const Layer& f) { return norm(input); }

}  // namespace xf::exercise
