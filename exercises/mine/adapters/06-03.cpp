#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) { parts.step.of = xf::exercise::step; }
