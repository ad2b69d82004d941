// en: the loop ends before the last pair: i runs from 0 to D/2 - 1
// zh: 循环在最后一对之前就结束了：i 从 0 到 D/2 - 1

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> positions(std::size_t length, std::size_t d_model) {
  xt::xtensor<float, 2> table({length, d_model});
  for (std::size_t pos = 0; pos < length; ++pos)
    for (std::size_t i = 0; i + 1 < d_model / 2; ++i) {
      const double angle = double(pos) / std::pow(10000.0, 2.0 * double(i) / double(d_model));
      table(pos, 2 * i) = static_cast<float>(std::sin(angle));
      table(pos, 2 * i + 1) = static_cast<float>(std::cos(angle));
    }
  return table;
}

}  // namespace xf::exercise
