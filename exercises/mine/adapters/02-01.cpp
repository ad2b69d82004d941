#include "exercise.hpp"
#include "mine/parts.hpp"

static const bool taken = (xf::mine::parts().attention.of = xf::exercise::attention, true);
