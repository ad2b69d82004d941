#include "exercise.hpp"
#include "mine/parts.hpp"

static const bool taken = (xf::mine::parts().split.of = xf::exercise::split,
                           xf::mine::parts().merge.of = xf::exercise::merge, true);
