#include "exercise.hpp"

namespace xf::exercise {

__global__ void product(Matrix a, Matrix b, float* c) { TODO("11-04: my/11-04_tiled_product.cpp"); }

}  // namespace xf::exercise
