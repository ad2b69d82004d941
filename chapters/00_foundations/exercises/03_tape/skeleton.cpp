#include "exercise.hpp"

namespace xf::exercise {

int add(SmallTape& tape, int a, int b) { TODO("00-03: my/00-03_tape.cpp"); }

int multiply(SmallTape& tape, int a, int b) { TODO("00-03: my/00-03_tape.cpp"); }

int tanh_of(SmallTape& tape, int a) { TODO("00-03: my/00-03_tape.cpp"); }

void backward(SmallTape& tape, int y) { TODO("00-03: my/00-03_tape.cpp"); }

}  // namespace xf::exercise
