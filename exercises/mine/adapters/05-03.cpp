#include "exercise.hpp"
#include "mine/parts.hpp"

static const bool taken = (xf::mine::parts().padding_mask.of = xf::exercise::padding_mask, true);
