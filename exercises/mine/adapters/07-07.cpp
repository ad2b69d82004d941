#include "exercise.hpp"
#include "mine/parts.hpp"

extern "C" void take_part(xf::mine::Parts& parts) {
  parts.beam_search.of = [](const auto& decoder, int width, int limit, double alpha) {
    return xf::exercise::beam_search(decoder, width, limit, alpha).words;
  };
}
