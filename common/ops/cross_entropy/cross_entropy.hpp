#pragma once

#include "autograd/tape.hpp"

namespace xf {

struct CrossEntropyOptions {
  std::int32_t ignore = -1;  // rows with this target (padding) do not count
  float smoothing = 0.0f;    // label smoothing epsilon (Szegedy et al. 2016)
  double divisor = 0.0;      // divide the sum by this; 0: by the number of counted rows
};

// The cross-entropy between softmax(logits) and the targets, from the logits:
//   loss = 1/divisor  sum over rows r of  -sum_v q_v log p_v
//   p = softmax(logits_r),   q = (1 - eps) onehot(target_r) + eps / V
//   logits: (..., V)   targets: as many ids as logits has rows   returns a scalar, shape ()
// backward: dlogits = (p - q) dloss / divisor, and 0 in ignored rows.
// Throws std::invalid_argument when a target is neither ignored nor in [0, V).
Tensor cross_entropy(const Tensor& logits, const Ids& targets,
                     const CrossEntropyOptions& options = {});
// The same for logits that are not needed afterwards: the gradient is written to their memory at
// once, so that the largest array of a training step is read one time less. If another handle
// shares them, they are preserved.
Tensor cross_entropy_in_place(Tensor&& logits, const Ids& targets,
                              const CrossEntropyOptions& options = {});

// log p(target) of every row, natural logarithm; 0 in ignored rows. Not differentiable.
//   returns as many numbers as logits has rows
std::vector<float> log_likelihood(const Tensor& logits, const Ids& targets,
                                  std::int32_t ignore = -1);

// log softmax(x) over the last axis. Not differentiable: for search.
Tensor log_softmax(const Tensor& x);
// The same in the memory of x, unless another handle shares it.
Tensor log_softmax_in_place(Tensor&& x);

}  // namespace xf
