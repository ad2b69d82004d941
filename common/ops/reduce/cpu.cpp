#include "ops/reduce/kernels.hpp"

namespace xf::kernel {

template <>
double sum(Cpu, const float* x, const float* weights, std::ptrdiff_t count) {
  double total = 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) total += weights ? double(x[i]) * weights[i] : x[i];
  return total;
}

}  // namespace xf::kernel
