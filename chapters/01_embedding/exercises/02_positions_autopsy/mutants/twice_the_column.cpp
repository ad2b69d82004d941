// en: the exponent was made of the column, 2j/D: i counts the pairs, the columns 2i and
//     2i + 1 share 2i/D
// zh: 指数用了列号，写成 2j/D：i 数的是对，第 2i 列和第 2i + 1 列都用 2i/D

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> positions(std::size_t length, std::size_t d_model) {
  xt::xtensor<float, 2> table({length, d_model});
  for (std::size_t pos = 0; pos < length; ++pos)
    for (std::size_t j = 0; j < d_model; ++j) {
      const double angle = double(pos) / std::pow(10000.0, 2.0 * double(j) / double(d_model));
      table(pos, j) = static_cast<float>(j % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  return table;
}

}  // namespace xf::exercise
