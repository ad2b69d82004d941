#include "ops/reduce/kernels.hpp"

namespace xf::kernel {

template <>
void sum(Cpu, const float* x, const float* weights, std::ptrdiff_t count, double divisor,
         float* total) {
  double sum = 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) sum += weights ? double(x[i]) * weights[i] : x[i];
  *total = static_cast<float>(sum / divisor);
}

}  // namespace xf::kernel
