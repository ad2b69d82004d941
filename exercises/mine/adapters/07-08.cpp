#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.learn_merges.of = xf::exercise::learn_merges;
  parts.apply_merges.of = xf::exercise::apply_merges;
}
