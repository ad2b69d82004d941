#include "exercise.hpp"

namespace xf::exercise {

void take(Running& so_far, float x) { TODO("10-01: my/10-01_online_softmax.cpp"); }

Running together(const Running& a, const Running& b) { TODO("10-01: my/10-01_online_softmax.cpp"); }

std::vector<float> softmax(const std::vector<float>& x, const std::vector<int>& parts) {
  TODO("10-01: my/10-01_online_softmax.cpp");
}

}  // namespace xf::exercise
