#include "exercise.hpp"
#include "mine/parts.hpp"

static const bool taken =
    (xf::mine::parts().embed_backward.of = xf::exercise::embed_backward, true);
