#pragma once

#include "autograd/observer.hpp"

namespace xf {

// What an op without a backward ends with: reports y to the observer of the tape, and returns it.
inline Tensor report(const Op& op, Tensor y, std::initializer_list<const Tensor*> inputs) {
  if (tape_observer) tape_observer->forward(op, y, inputs);
  return y;
}

}  // namespace xf
