#include <algorithm>

#include "ops/reduce/kernels.hpp"

namespace xf::kernel {

template <>
double sum(Cpu, const float* x, const float* weights, std::ptrdiff_t count) {
  double total = 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) total += weights ? double(x[i]) * weights[i] : x[i];
  return total;
}

template <>
void argmax(Cpu, const float* x, std::span<int> places, int columns) {
  for (int& place : places) {
    place = static_cast<int>(std::max_element(x, x + columns) - x);
    x += columns;
  }
}

}  // namespace xf::kernel
