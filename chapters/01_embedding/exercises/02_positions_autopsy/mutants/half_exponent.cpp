// en: the exponent is i/D where it should be 2i/D (or the base is 100): the slow waves are too fast
// zh: 指数写成了 i/D，应为 2i/D（或者底数用了 100）：慢波变得太快

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> positions(std::size_t length, std::size_t d_model) {
  xt::xtensor<float, 2> table({length, d_model});
  for (std::size_t pos = 0; pos < length; ++pos)
    for (std::size_t i = 0; i < d_model / 2; ++i) {
      const double angle = double(pos) / std::pow(10000.0, double(i) / double(d_model));
      table(pos, 2 * i) = static_cast<float>(std::sin(angle));
      table(pos, 2 * i + 1) = static_cast<float>(std::cos(angle));
    }
  return table;
}

}  // namespace xf::exercise
