// en: the sine and the cosine were divided, sin(pos) / 10000^(2i/D): the division stands inside,
//     sin(pos / ...)
// zh: 除的是正弦和余弦本身，sin(pos) / 10000^(2i/D)：除法应在里面，sin(pos / …)

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> positions(std::size_t length, std::size_t d_model) {
  xt::xtensor<float, 2> table({length, d_model});
  for (std::size_t pos = 0; pos < length; ++pos)
    for (std::size_t i = 0; i < d_model / 2; ++i) {
      const double wave = std::pow(10000.0, 2.0 * double(i) / double(d_model));
      table(pos, 2 * i) = static_cast<float>(std::sin(double(pos)) / wave);
      table(pos, 2 * i + 1) = static_cast<float>(std::cos(double(pos)) / wave);
    }
  return table;
}

}  // namespace xf::exercise
