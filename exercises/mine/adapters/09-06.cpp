#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.read_merges.of = xf::exercise::read_merges;
  parts.encode.of = xf::exercise::encode;
  parts.decode.of = xf::exercise::decode;
}
