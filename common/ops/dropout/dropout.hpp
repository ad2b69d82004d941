#pragma once

#include <cstdint>

#include "autograd/tape.hpp"

namespace xf {

// While a Training object is alive on a thread, dropout() on that thread is active; otherwise it
// is the identity. The seed fixes every mask: each shard of each training step has its own
// (train/data_parallel.hpp), and so a run can be repeated or resumed exactly.
class Training {
 public:
  explicit Training(std::uint64_t seed);
  ~Training();
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  static Training* active();
  // A new key for each dropout of the step.
  std::uint64_t next_key();

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
  Training* previous_;
};

// y_i = x_i / (1 - p) with probability 1 - p, else 0 (Srivastava et al. 2014, "inverted": the
// mean of y is x, so that inference needs no change). The mask is not stored: backward computes
// it again from the key.
// Throws std::invalid_argument unless 0 <= p < 1.
Tensor dropout(const Tensor& x, float p);

// For ops that include dropout: the key of a new mask, or 0 if nothing is dropped (p = 0, or no
// Training). Throws like dropout().
std::uint64_t dropout_key(float p);

}  // namespace xf
