#include "exercise.hpp"
#include "mine/parts.hpp"

static const bool taken = (xf::mine::parts().greedy.of = xf::exercise::greedy, true);
