#pragma once

#include "ops/matmul/gemm.hpp"

namespace xf::kernel {

// Products in which A has few rows and B is a large matrix of weights: a batch of one sentence, or
// one step of decoding. A general gemm copies the weights into a layout of its own first, which
// costs more than the product; here each weight is read once, as it lies. Measured with weights of
// 2048 x 512: 2.4 to 2.9 times faster with one row, 1.3 to 1.7 times with eight; with 512 x 512
// only x W^T of two rows and more gains (docs/results/logs/few-rows.txt).
constexpr int skinny_rows = 8;

// Is this product, with A (m, k) and B (k, n), such a one?
bool is_skinny(int m, int n, int k, const Matrix& a, const Matrix& b);

// gemm() for such a product, on the calling thread alone.
void skinny_gemm(int m, int n, int k, const Matrix& a, const Matrix& b, float* c, int c_stride,
                 bool accumulate);

}  // namespace xf::kernel
