// en: f(norm(x)): x itself was not added
// zh: f(norm(x))：没有加上 x 本身

#include "exercise.hpp"

namespace xf::exercise {

Tensor residual(const Tensor& input, const Layer& norm, const Layer& f) { return f(norm(input)); }

}  // namespace xf::exercise
