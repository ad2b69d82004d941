// en: the angle was taken for degrees: std::sin and std::cos want radians, as the formula gives
//     them
// zh: 把角度当成了“度”：std::sin 和 std::cos 用弧度，公式给出的就是弧度

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> positions(std::size_t length, std::size_t d_model) {
  xt::xtensor<float, 2> table({length, d_model});
  for (std::size_t pos = 0; pos < length; ++pos)
    for (std::size_t i = 0; i < d_model / 2; ++i) {
      const double angle = 3.14159265358979 / 180 * double(pos) /
                           std::pow(10000.0, 2.0 * double(i) / double(d_model));
      table(pos, 2 * i) = static_cast<float>(std::sin(angle));
      table(pos, 2 * i + 1) = static_cast<float>(std::cos(angle));
    }
  return table;
}

}  // namespace xf::exercise
