#include "exercise.hpp"
#include "mine/parts.hpp"

static const bool taken = (xf::mine::parts().inverse_root.of = xf::exercise::inverse_root, true);
