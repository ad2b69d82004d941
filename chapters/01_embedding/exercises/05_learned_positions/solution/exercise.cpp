#include "exercise.hpp"

#include <stdexcept>

namespace xf::exercise {

xt::xtensor<float, 3> add_positions(const xt::xtensor<float, 3>& x,
                                    const xt::xtensor<float, 2>& positions, int past) {
  const std::size_t length = x.shape(1), first = static_cast<std::size_t>(past);
  if (past < 0 || first + length > positions.shape(0))
    throw std::invalid_argument("add_positions: the table of positions ends before the text");
  xt::xtensor<float, 3> y = x;
  for (std::size_t b = 0; b < x.shape(0); ++b)
    for (std::size_t t = 0; t < length; ++t)
      for (std::size_t d = 0; d < x.shape(2); ++d) y(b, t, d) += positions(first + t, d);
  return y;
}

xt::xtensor<float, 2> positions_backward(const xt::xtensor<float, 3>& dy, int max, int past) {
  const std::size_t rows = static_cast<std::size_t>(max), first = static_cast<std::size_t>(past);
  xt::xtensor<float, 2> dp = xt::zeros<float>({rows, dy.shape(2)});
  for (std::size_t b = 0; b < dy.shape(0); ++b)
    for (std::size_t t = 0; t < dy.shape(1); ++t)
      for (std::size_t d = 0; d < dy.shape(2); ++d) dp(first + t, d) += dy(b, t, d);
  return dp;
}

}  // namespace xf::exercise
