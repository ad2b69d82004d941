#include "tensor/shape.hpp"

namespace xf {

std::string Shape::str() const {
  std::string text = "(";
  for (int axis = 0; axis < rank_; ++axis)
    text += (axis ? ", " : "") + std::to_string((*this)[axis]);
  return text + ")";
}

void Shape::no_axis(int axis) const {
  throw std::invalid_argument("shape: axis " + std::to_string(axis) + " of " + str());
}

}  // namespace xf
