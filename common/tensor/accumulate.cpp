#include "tensor/accumulate.hpp"

#include <stdexcept>

#include "tensor/kernels.hpp"

namespace xf {

void accumulate_into(Tensor& sum, const Tensor& x) {
  if (sum.count() != x.count())
    throw std::invalid_argument("accumulate: " + sum.shape().str() + " += " + x.shape().str());
  dispatch(sum.device(), [&](auto on) { kernel::add_to(on, sum.data(on), x.data(on), x.count()); });
}

}  // namespace xf
