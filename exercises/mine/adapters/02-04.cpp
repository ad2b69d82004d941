#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.split.of = xf::exercise::split;
  parts.merge.of = xf::exercise::merge;
}
