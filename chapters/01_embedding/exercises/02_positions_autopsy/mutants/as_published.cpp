// en: both mistakes are still there: halves for pairs, and D - 2 in the exponent
// zh: 两处错误都还在：sin 和 cos 分成前后两半，指数里用了 D - 2

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> positions(std::size_t length, std::size_t d_model) {
  xt::xtensor<float, 2> table({length, d_model});
  for (std::size_t pos = 0; pos < length; ++pos)
    for (std::size_t i = 0; i < d_model / 2; ++i) {
      const double angle = double(pos) / std::pow(10000.0, 2.0 * double(i) / double(d_model - 2));
      table(pos, i) = static_cast<float>(std::sin(angle));
      table(pos, d_model / 2 + i) = static_cast<float>(std::cos(angle));
    }
  return table;
}

}  // namespace xf::exercise
