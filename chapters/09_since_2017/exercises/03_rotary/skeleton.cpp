#include "exercise.hpp"

namespace xf::exercise {

Rows rotate(const Rows& x, int first, float base) {
  TODO("09-03: chapters/09_since_2017/exercises/03_rotary/exercise.cpp");
}

Rows rotate_backward(const Rows& dy, int first, float base) {
  TODO("09-03: chapters/09_since_2017/exercises/03_rotary/exercise.cpp");
}

}  // namespace xf::exercise
