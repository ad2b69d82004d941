#pragma once

#include <memory>

#include "ops/matmul/panels.hpp"
#include "tensor/tensor.hpp"

namespace xf {

// While at least one of these lives, no parameter may change. A product copies its weights into an
// order of its own at every call; for few rows, as in a step of decoding, that costs more than the
// product. Now linear() copies the weights of parameters once, and keeps the copies until the last
// of these objects is gone: as much memory again as those weights take.
class FrozenWeights {
 public:
  FrozenWeights();
  ~FrozenWeights();
  FrozenWeights(const FrozenWeights&) = delete;
  FrozenWeights& operator=(const FrozenWeights&) = delete;
};

// For linear(): the copy of a weight (out, in), or null where none is kept. That is so for
// products of one row, which are as fast without it, at the first use of a weight, which may be the
// only one, and wherever a tape is active.
std::shared_ptr<const kernel::PanelMatrix> frozen(const Tensor& weight, int rows);

}  // namespace xf
