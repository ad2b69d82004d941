// en: the angle itself was written: its sine and its cosine are missing
// zh: 写进去的是角度本身：没有取正弦和余弦

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> positions(std::size_t length, std::size_t d_model) {
  xt::xtensor<float, 2> table({length, d_model});
  for (std::size_t pos = 0; pos < length; ++pos)
    for (std::size_t i = 0; i < d_model / 2; ++i) {
      const double angle = double(pos) / std::pow(10000.0, 2.0 * double(i) / double(d_model));
      table(pos, 2 * i) = static_cast<float>(angle);
      table(pos, 2 * i + 1) = static_cast<float>(angle);
    }
  return table;
}

}  // namespace xf::exercise
