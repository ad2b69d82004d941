#include "exercise.hpp"

namespace xf::exercise {

double least_seconds(const Clock& clock, int runs, const std::function<void()>& work) {
  TODO("D-1: my/D-1_machine.cpp");
}

float multiply_adds(float start, float factor, int steps) { TODO("D-1: my/D-1_machine.cpp"); }

double operations_of(int steps) { TODO("D-1: my/D-1_machine.cpp"); }

void scaled(const float* from, float factor, float* to, std::ptrdiff_t count) {
  TODO("D-1: my/D-1_machine.cpp");
}

std::int64_t bytes_moved(const std::vector<Touch>& touches, int lines) {
  TODO("D-1: my/D-1_machine.cpp");
}

double roof(const Machine& machine, const Work& work) { TODO("D-1: my/D-1_machine.cpp"); }

double fraction(const Machine& machine, const Work& work, double seconds) {
  TODO("D-1: my/D-1_machine.cpp");
}

}  // namespace xf::exercise
