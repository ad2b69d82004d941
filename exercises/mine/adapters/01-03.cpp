#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.embed_backward.of = xf::exercise::embed_backward;
}
