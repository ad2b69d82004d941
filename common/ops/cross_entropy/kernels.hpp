#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/device.hpp"

namespace xf::kernel {

// log sum_v exp(x[r, v]) of every row.
template <class On>
void log_sum_exp(On, const float* x, float* sums, std::ptrdiff_t rows, int columns);
// *loss = the sum over the counted rows of  lse - (1 - eps) x[target] - eps mean(x),  / divisor.
template <class On>
void cross_entropy(On, const float* x, const std::int32_t* targets, const float* sums,
                   std::int32_t ignore, float smoothing, double divisor, float* loss,
                   std::ptrdiff_t rows, int columns);
// dx = *dloss / divisor (exp(x - lse) - q).
template <class On>
void cross_entropy_backward(On, const float* x, const std::int32_t* targets, const float* sums,
                            std::int32_t ignore, float smoothing, double divisor,
                            const float* dloss, float* dx, std::ptrdiff_t rows, int columns);
// Both in one pass over each row: x is replaced with its gradient for *dloss = 1.
template <class On>
void cross_entropy_in_place(On, float* x, const std::int32_t* targets, std::int32_t ignore,
                            float smoothing, double divisor, float* loss, std::ptrdiff_t rows,
                            int columns);
// y[r] = x[r, target] - lse[r], or 0 where the target is `ignore`.
template <class On>
void log_likelihood(On, const float* x, const std::int32_t* targets, const float* sums,
                    std::int32_t ignore, float* y, std::ptrdiff_t rows, int columns);
// y[r, v] = x[r, v] - lse[r].
template <class On>
void subtract_from_rows(On, const float* x, const float* sums, float* y, std::ptrdiff_t rows,
                        int columns);

}  // namespace xf::kernel
