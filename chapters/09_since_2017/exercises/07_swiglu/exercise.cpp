#include "exercise.hpp"

namespace xf::exercise {

int equal_width(int plain, int multiple) {
  TODO("09-07: chapters/09_since_2017/exercises/07_swiglu/exercise.cpp");
}

Rows swiglu(const Rows& x, const Rows& w_gate, const Rows& w_up, const Rows& w_down) {
  TODO("09-07: chapters/09_since_2017/exercises/07_swiglu/exercise.cpp");
}

GateGradients gate_backward(const Rows& gate, const Rows& up, const Rows& dh) {
  TODO("09-07: chapters/09_since_2017/exercises/07_swiglu/exercise.cpp");
}

}  // namespace xf::exercise
