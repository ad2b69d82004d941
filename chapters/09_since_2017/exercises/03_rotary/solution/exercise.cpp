#include "exercise.hpp"

namespace xf::exercise {

// direction: 1 turns, -1 turns back.
static Rows turned(const Rows& x, int first, float base, float direction) {
  const std::size_t rows = x.shape()[0], width = x.shape()[1], half = width / 2;
  Rows y = x;
  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t i = 0; i < half; ++i) {
      const float frequency = std::pow(base, -2.0f * float(i) / float(width));
      const float angle = float(first + int(t)) * frequency;
      const float c = std::cos(angle), s = direction * std::sin(angle);
      y(t, i) = x(t, i) * c - x(t, i + half) * s;
      y(t, i + half) = x(t, i + half) * c + x(t, i) * s;
    }
  return y;
}

Rows rotate(const Rows& x, int first, float base) { return turned(x, first, base, 1); }

Rows rotate_backward(const Rows& dy, int first, float base) { return turned(dy, first, base, -1); }

}  // namespace xf::exercise
