#include "exercise.hpp"
#include "mine/parts.hpp"

static const bool taken = (xf::mine::parts().clip.of = xf::exercise::clip, true);
