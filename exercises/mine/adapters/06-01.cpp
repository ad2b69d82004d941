#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.causal_attention.of = xf::exercise::causal_attention;
}
