#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/device.hpp"

namespace xf::kernel {

// log sum_v exp(x[r, v]) of every row.
void log_sum_exp(Cpu, const float* x, float* sums, std::ptrdiff_t rows, int columns);
// The sum over the counted rows of  lse - (1 - eps) x[target] - eps mean(x).
double cross_entropy(Cpu, const float* x, const std::int32_t* targets, const float* sums,
                     std::int32_t ignore, float smoothing, std::ptrdiff_t rows, int columns);
// dx = factor (exp(x - lse) - q).
void cross_entropy_backward(Cpu, const float* x, const std::int32_t* targets, const float* sums,
                            std::int32_t ignore, float smoothing, float factor, float* dx,
                            std::ptrdiff_t rows, int columns);
// Both at once, while a row is at hand: returns the loss, and x becomes its own gradient.
double cross_entropy_in_place(Cpu, float* x, const std::int32_t* targets, std::int32_t ignore,
                              float smoothing, float factor, std::ptrdiff_t rows, int columns);
// y[r, v] = x[r, v] - lse[r].
void subtract_from_rows(Cpu, const float* x, const float* sums, float* y, std::ptrdiff_t rows,
                        int columns);

}  // namespace xf::kernel
