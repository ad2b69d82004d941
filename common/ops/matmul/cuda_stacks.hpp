#pragma once

#include "ops/matmul/gemm.hpp"

namespace xf::kernel {

// Matrices of the same shape on the device, each `step` numbers after the one before.
template <class One>
struct Strided {
  One first;
  std::ptrdiff_t step;

  constexpr Strided from(std::ptrdiff_t i) const {
    Strided rest = *this;
    rest.first.data += i * step;
    return rest;
  }
};
using MatrixStack = Strided<Matrix>;
using ResultStack = Strided<Result>;

inline MatrixStack transposed(const MatrixStack& x) { return {x.first.transpose(), x.step}; }

// gemm() for each of `batch` matrices.
void gemm_stacks(std::ptrdiff_t batch, const MatrixStack& a, const MatrixStack& b,
                 const ResultStack& c, const Epilogue& epilogue = {});

}  // namespace xf::kernel
