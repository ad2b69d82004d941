#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) { parts.rotate.of = xf::exercise::rotate; }
