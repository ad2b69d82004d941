#include "exercise.hpp"
#include "mine/parts.hpp"

static const bool taken = (xf::mine::parts().positions.of = xf::exercise::positions, true);
