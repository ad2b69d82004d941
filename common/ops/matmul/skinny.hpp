#pragma once

#include "ops/matmul/gemm.hpp"

namespace xf::kernel {

// Products in which A has few rows and B is a large matrix of weights: a batch of one sentence, or
// one step of decoding. A general gemm first copies the weights into a layout of its own, which
// costs more than the product; here each weight is read once, in place. Measured for x W^T with
// weights of 6000 x 256: 5.9 times faster with one row, 2.3 times with eight, 1.25 times with 32;
// slower from 64 rows on (docs/results/logs/few-rows.txt). dy W gains only with up to 8 rows and
// larger weights. Small weights that stay in the cache are left to OpenBLAS.
//
// For A B^T, k is summed in several partial sums. That is not the order of `same` arithmetic, which
// uses panels instead.

// Such a product, C = A B or, with `sum`, C += A B, on the calling thread only.
template <class On>
void skinny_gemm(On, const Matrix& a, const Matrix& b, const Result& c, bool sum);

}  // namespace xf::kernel
