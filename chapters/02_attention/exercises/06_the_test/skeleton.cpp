#include "exercise.hpp"

namespace xf::exercise {

std::vector<Case> cases() { TODO("02-06: my/02-06_the_test.cpp"); }

}  // namespace xf::exercise
