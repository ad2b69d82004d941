#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.relative_scores.of = xf::exercise::relative_scores;
}
