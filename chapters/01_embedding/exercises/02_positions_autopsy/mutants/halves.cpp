// en: first all sines, then all cosines: the numbers are right, the columns are in another order
// zh: 先是所有 sin，再是所有 cos：数值没错，列的顺序不同

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> positions(std::size_t length, std::size_t d_model) {
  xt::xtensor<float, 2> table({length, d_model});
  const std::size_t pairs = d_model / 2;
  for (std::size_t pos = 0; pos < length; ++pos)
    for (std::size_t i = 0; i < pairs; ++i) {
      const double angle = double(pos) / std::pow(10000.0, 2.0 * double(i) / double(d_model));
      table(pos, i) = static_cast<float>(std::sin(angle));
      table(pos, pairs + i) = static_cast<float>(std::cos(angle));
    }
  return table;
}

}  // namespace xf::exercise
