// en: i was counted from 1: the first pair has i = 0, the angle is pos itself
// zh: i 从 1 数起了：第一对的 i = 0，角度就是 pos

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> positions(std::size_t length, std::size_t d_model) {
  xt::xtensor<float, 2> table({length, d_model});
  for (std::size_t pos = 0; pos < length; ++pos)
    for (std::size_t i = 0; i < d_model / 2; ++i) {
      const double angle = double(pos) / std::pow(10000.0, 2.0 * double(i + 1) / double(d_model));
      table(pos, 2 * i) = static_cast<float>(std::sin(angle));
      table(pos, 2 * i + 1) = static_cast<float>(std::cos(angle));
    }
  return table;
}

}  // namespace xf::exercise
