// en: pos was divided as a whole number: the angle is 0 almost everywhere; make a double of it
// zh: 按整数做了除法，角度几乎处处是 0：先转成 double

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> positions(std::size_t length, std::size_t d_model) {
  xt::xtensor<float, 2> table({length, d_model});
  for (std::size_t pos = 0; pos < length; ++pos)
    for (std::size_t i = 0; i < d_model / 2; ++i) {
      const std::size_t angle =
          pos / std::size_t(std::pow(10000.0, 2.0 * double(i) / double(d_model)));
      table(pos, 2 * i) = static_cast<float>(std::sin(double(angle)));
      table(pos, 2 * i + 1) = static_cast<float>(std::cos(double(angle)));
    }
  return table;
}

}  // namespace xf::exercise
