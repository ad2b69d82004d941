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

cublasOperation_t operation(const Factor& x) { return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

}  // namespace

// cuBLAS takes matrices column by column, and so sees each of ours transposed: what it computes is
// C^T = B^T A^T.
void cublas_gemm(Numbers numbers, std::ptrdiff_t batch, int m, int n, int k, const Factor& a,
                 const Factor& b, float* c, std::ptrdiff_t c_stride, std::ptrdiff_t c_step,
                 bool sum) {
  const float one = 1, before = sum ? 1 : 0;
  const cudaDataType_t factors = numbers == Numbers::bfloat16 ? CUDA_R_16BF : CUDA_R_32F;
  const cublasComputeType_t compute =
      numbers == Numbers::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  check(cublasGemmStridedBatchedEx(handle(), operation(b), operation(a), n, m, k, &one, b.data,
                                   factors, static_cast<int>(b.stride), b.step, a.data, factors,
                                   static_cast<int>(a.stride), a.step, &before, c, CUDA_R_32F,
                                   static_cast<int>(c_stride), c_step, static_cast<int>(batch),
                                   compute, CUBLAS_GEMM_DEFAULT));
}

}  // namespace xf::cuda

#endif
