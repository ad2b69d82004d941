#include "tensor/accumulate.hpp"

#include <stdexcept>

#include "tensor/parallel.hpp"

namespace xf {

namespace {

void add_to(Cpu, float* sum, const float* x, std::ptrdiff_t count) {
  parallel_for(count, 1 << 16, [=](std::ptrdiff_t first, std::ptrdiff_t last) {
    for (std::ptrdiff_t i = first; i < last; ++i) sum[i] += x[i];
  });
}

}  // namespace

void accumulate_into(Tensor& sum, const Tensor& x) {
  if (sum.count() != x.count())
    throw std::invalid_argument("accumulate: " + sum.shape().str() + " += " + x.shape().str());
  dispatch(sum.device(), [&](auto on) { add_to(on, sum.data(), x.data(), x.count()); });
}

}  // namespace xf
