#include "exercise.hpp"
#include "mine/parts.hpp"

static const bool taken = (xf::mine::parts().embed.of = xf::exercise::embed, true);
