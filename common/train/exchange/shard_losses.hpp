#pragma once

#include <span>
#include <vector>

#include "tensor/tensor.hpp"

namespace xf {

// The losses of a batch's shards, in as many sets as there are sets of gradients. On a GPU, a loss
// exists only once all the work has been done. So it is read when its value is needed, together
// with the sum of the gradients, which waits for the work anyway.
class ShardLosses {
 public:
  void start(int sets) { sets_.assign(static_cast<std::size_t>(sets), {}); }
  void add(int set, const Tensor& loss);  // one number
  // Adds the losses of the other processes; waits for a GPU.
  void join();
  // The sum of all losses.
  operator double() const;

  // The losses that are still on the device; bring() supplies their values once they have arrived.
  std::vector<Tensor> pending() const;
  void bring(std::span<const float> values);

 private:
  struct Set {
    double sum = 0;
    std::vector<Tensor> pending;
  };
  std::vector<Set> sets_;
};

}  // namespace xf
