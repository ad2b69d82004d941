#include "exercise.hpp"

namespace xf::exercise {

void take(Running& so_far, float x) {
  TODO("10-01: chapters/10_speed/exercises/01_online_softmax/exercise.cpp");
}

Running together(const Running& a, const Running& b) {
  TODO("10-01: chapters/10_speed/exercises/01_online_softmax/exercise.cpp");
}

std::vector<float> softmax(const std::vector<float>& x, const std::vector<int>& parts) {
  TODO("10-01: chapters/10_speed/exercises/01_online_softmax/exercise.cpp");
}

}  // namespace xf::exercise
