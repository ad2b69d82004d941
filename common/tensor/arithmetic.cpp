#include "tensor/arithmetic.hpp"

#include <stdexcept>

namespace xf {

namespace {

Arithmetic arithmetic_in_use = Arithmetic::same;

}  // namespace

Arithmetic arithmetic() { return arithmetic_in_use; }

void set_arithmetic(Arithmetic arithmetic) {
#ifndef XF_HAS_FAST
  if (arithmetic == Arithmetic::fast)
    throw std::invalid_argument("arithmetic: fast is not built into this program");
#endif
  arithmetic_in_use = arithmetic;
}

}  // namespace xf
