// en: the exponent is 4i/D: it was divided by D/2, the number of pairs, or a column 2i was doubled
//     once more; it is 2i/D
// zh: 指数成了 4i/D：除的是有几对，即 D/2，或把列号 2i 又乘了 2；应为 2i/D

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> positions(std::size_t length, std::size_t d_model) {
  xt::xtensor<float, 2> table({length, d_model});
  for (std::size_t pos = 0; pos < length; ++pos)
    for (std::size_t i = 0; i < d_model / 2; ++i) {
      const double angle = double(pos) / std::pow(10000.0, 2.0 * double(i) / double(d_model / 2));
      table(pos, 2 * i) = static_cast<float>(std::sin(angle));
      table(pos, 2 * i + 1) = static_cast<float>(std::cos(angle));
    }
  return table;
}

}  // namespace xf::exercise
