#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.distribution.of = xf::exercise::distribution;
  parts.draw.of = xf::exercise::draw;
}
