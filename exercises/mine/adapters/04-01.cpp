#include "exercise.hpp"
#include "mine/parts.hpp"

static const bool taken = (xf::mine::parts().feed_forward.of = xf::exercise::feed_forward, true);
