#include "exercise.hpp"
#include "mine/parts.hpp"

static const bool taken = (xf::mine::parts().bleu.of = xf::exercise::bleu, true);
