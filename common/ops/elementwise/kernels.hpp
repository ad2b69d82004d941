#pragma once

#include "ops/elementwise/elementwise.hpp"

namespace xf::kernel {

enum class Curve { relu, gelu, gelu_tanh, silu, sigmoid, tanh };

// y[r, c] = a[r, c] + b[c] with rows * columns elements of a and columns of b.
template <class On>
void add(On, const float* a, const float* b, const Output& y, std::ptrdiff_t rows,
         std::ptrdiff_t columns);
template <class On>
void multiply(On, const float* a, const float* b, float* y, std::ptrdiff_t count);
template <class On>
void scale(On, const float* x, float factor, float* y, std::ptrdiff_t count);
// The same with a factor in device memory. Where it is 1 and y is x, there is nothing to do.
template <class On>
void scale_by(On, const float* x, const float* factor, float* y, std::ptrdiff_t count);
// y[r, c] = factors[r] x[r, c].
template <class On>
void scale_rows(On, const float* x, const float* factors, float* y, std::ptrdiff_t rows,
                std::ptrdiff_t columns);
// sums[c] = the sum over r of x[r, c].
template <class On>
void sum_rows(On, const float* x, float* sums, std::ptrdiff_t rows, std::ptrdiff_t columns);
template <class On>
void activate(On, Curve curve, const float* x, float* y, std::ptrdiff_t count);
// dx = dy * f'(x).
template <class On>
void activate_backward(On, Curve curve, const float* x, const float* dy, const Output& dx,
                       std::ptrdiff_t count);

}  // namespace xf::kernel
