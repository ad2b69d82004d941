#include "exercise.hpp"
#include "mine/parts.hpp"

static const bool taken = (
    xf::mine::parts().beam_search.of =
        [](const auto& decoder, int width, int limit, double alpha) {
          return xf::exercise::beam_search(decoder, width, limit, alpha).words;
        },
    true);
