#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) { parts.swiglu.of = xf::exercise::swiglu; }
