#include "exercise.hpp"
#include "mine/parts.hpp"

static const bool taken =
    (xf::mine::parts().causal_attention.of = xf::exercise::causal_attention, true);
