#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) { parts.rms_norm.of = xf::exercise::rms_norm; }
