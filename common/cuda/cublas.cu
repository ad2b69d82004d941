#include "cuda/cublas.hpp"

#ifdef XF_CUBLAS

#include <cublas_v2.h>

#include "cuda/launch.hpp"

namespace xf::cuda {

namespace {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(std::string("cuda: cuBLAS: ") + cublasGetStatusString(status));
}

cublasHandle_t handle() {
  static const cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    check(cublasCreate(&made));
    check(cublasSetStream(made, stream()));
    return made;
  }();
  return handle;
}

cublasOperation_t operation(const Operand& x) { return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

}  // namespace

// cuBLAS takes matrices column by column, and so sees each of ours transposed: what it computes is
// C^T = B^T A^T.
void cublas_gemm(std::ptrdiff_t batch, int m, int n, int k, const Operand& a, const Operand& b,
                 float* c, std::ptrdiff_t c_stride, std::ptrdiff_t c_step, bool sum) {
  const float one = 1, before = sum ? 1 : 0;
  check(cublasSgemmStridedBatched(handle(), operation(b), operation(a), n, m, k, &one, b.data,
                                  static_cast<int>(b.stride), b.step, a.data,
                                  static_cast<int>(a.stride), a.step, &before, c,
                                  static_cast<int>(c_stride), c_step, static_cast<int>(batch)));
}

}  // namespace xf::cuda

#endif
