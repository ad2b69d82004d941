#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.inverse_root.of = xf::exercise::inverse_root;
}
