#include "exercise.hpp"
#include "mine/parts.hpp"

static const bool taken = (xf::mine::parts().layer_norm.of = xf::exercise::layer_norm, true);
