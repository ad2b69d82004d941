#include "tensor/arithmetic.hpp"

#include <stdexcept>

namespace xf {

namespace {

Arithmetic used = Arithmetic::same;

}  // namespace

Arithmetic arithmetic() { return used; }

void set_arithmetic(Arithmetic arithmetic) {
#ifndef XF_HAS_FAST
  if (arithmetic == Arithmetic::fast)
    throw std::invalid_argument("arithmetic: fast is not built into this program");
#endif
  used = arithmetic;
}

}  // namespace xf
