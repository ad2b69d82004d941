#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.padding_mask.of = xf::exercise::padding_mask;
}
