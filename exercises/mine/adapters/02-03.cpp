#include "exercise.hpp"
#include "mine/parts.hpp"

static const bool taken =
    (xf::mine::parts().masked_softmax.of = xf::exercise::masked_softmax, true);
