#include "exercise.hpp"

namespace xf::exercise {

__global__ void product(const float* x, const float* w, float* y, int m, int n, int k) {
  TODO("11-08: my/11-08_product_in_registers.cpp");
}

}  // namespace xf::exercise
