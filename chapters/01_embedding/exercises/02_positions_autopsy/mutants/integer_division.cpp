// en: every pair has the angle pos: the division by 10000^(2i/D) is missing, or 2 * i / D was
//     divided as whole numbers, which gives 0
// zh: 每一对的角度都是 pos：漏了除以 10000^(2i/D)，或者 2 * i / D 按整数相除，得了 0

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> positions(std::size_t length, std::size_t d_model) {
  xt::xtensor<float, 2> table({length, d_model});
  for (std::size_t pos = 0; pos < length; ++pos)
    for (std::size_t i = 0; i < d_model / 2; ++i) {
      const double angle = double(pos) / std::pow(10000.0, double(2 * i / d_model));
      table(pos, 2 * i) = static_cast<float>(std::sin(angle));
      table(pos, 2 * i + 1) = static_cast<float>(std::cos(angle));
    }
  return table;
}

}  // namespace xf::exercise
