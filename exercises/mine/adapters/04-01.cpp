#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.feed_forward.of = xf::exercise::feed_forward;
}
