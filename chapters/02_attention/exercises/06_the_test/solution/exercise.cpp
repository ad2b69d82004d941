#include "exercise.hpp"

namespace xf::exercise {

std::vector<Case> cases() {
  Case masked;
  masked.q = {{1, -2, 0.5f}, {0, 1, 2}};
  masked.k = {{1, 0, 1}, {-1, 2, 0}, {0.5f, 1, -1}, {2, 1, 0}};
  masked.v = {{1, 0}, {0, 2}, {3, -1}, {-2, 4}};
  masked.may = {{1, 0, 1, 1}, {1, 1, 1, 0}};
  Case large = masked;
  large.q *= 100;
  return {masked, large};
}

}  // namespace xf::exercise
