#include "exercise.hpp"

namespace xf::exercise {

double least_seconds(const Clock& clock, int runs, const std::function<void()>& work) {
  TODO("D-1: capstones/kernel/1_machine/exercise.cpp");
}

float multiply_adds(float start, float factor, int steps) {
  TODO("D-1: capstones/kernel/1_machine/exercise.cpp");
}

double operations_of(int steps) { TODO("D-1: capstones/kernel/1_machine/exercise.cpp"); }

void scaled(const float* from, float factor, float* to, std::ptrdiff_t count) {
  TODO("D-1: capstones/kernel/1_machine/exercise.cpp");
}

std::int64_t bytes_moved(const std::vector<Touch>& touches, int lines) {
  TODO("D-1: capstones/kernel/1_machine/exercise.cpp");
}

double roof(const Machine& machine, const Work& work) {
  TODO("D-1: capstones/kernel/1_machine/exercise.cpp");
}

double fraction(const Machine& machine, const Work& work, double seconds) {
  TODO("D-1: capstones/kernel/1_machine/exercise.cpp");
}

}  // namespace xf::exercise
