#pragma once

#include "ops/elementwise/elementwise.hpp"

namespace xf::kernel {

enum class Curve { relu, gelu, silu };

// y[r, c] = a[r, c] + b[c] with rows * columns elements of a and columns of b.
void add(Cpu, const float* a, const float* b, float* y, std::ptrdiff_t rows,
         std::ptrdiff_t columns);
void multiply(Cpu, const float* a, const float* b, float* y, std::ptrdiff_t count);
void scale(Cpu, const float* x, float factor, float* y, std::ptrdiff_t count);
// sums[c] = the sum over r of x[r, c].
void sum_rows(Cpu, const float* x, float* sums, std::ptrdiff_t rows, std::ptrdiff_t columns);
void activate(Cpu, Curve curve, const float* x, float* y, std::ptrdiff_t count);
// dx = dy * f'(x).
void activate_backward(Cpu, Curve curve, const float* x, const float* dy, float* dx,
                       std::ptrdiff_t count);

}  // namespace xf::kernel
