// en: std::log10 stands where the natural logarithm belongs: 10000^e is exp(e log 10000)
// zh: 该用自然对数的地方写了 std::log10：10000^e 等于 exp(e log 10000)

#include "exercise.hpp"

namespace xf::exercise {

xt::xtensor<float, 2> positions(std::size_t length, std::size_t d_model) {
  xt::xtensor<float, 2> table({length, d_model});
  for (std::size_t pos = 0; pos < length; ++pos)
    for (std::size_t i = 0; i < d_model / 2; ++i) {
      const double angle =
          double(pos) * std::exp(-2.0 * double(i) / double(d_model) * std::log10(10000.0));
      table(pos, 2 * i) = static_cast<float>(std::sin(angle));
      table(pos, 2 * i + 1) = static_cast<float>(std::cos(angle));
    }
  return table;
}

}  // namespace xf::exercise
