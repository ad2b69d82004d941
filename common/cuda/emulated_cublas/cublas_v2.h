#pragma once

// The part of cuBLAS that common/cuda/cublas.cu uses, for the emulator: the same names and types,
// and equally strict, so that the calling code runs without cuBLAS.

using cudaStream_t = struct EmulatedStream*;
using cublasHandle_t = struct EmulatedCublas*;

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
};
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum cudaDataType_t { CUDA_R_32F = 0, CUDA_R_16BF = 14 };
enum cublasComputeType_t { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_FAST_TF32 = 77 };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1 };

cublasStatus_t cublasCreate(cublasHandle_t* handle);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
const char* cublasGetStatusString(cublasStatus_t status);

// C = alpha op(A) op(B) + beta C, column-major: column j of an (m, n) matrix begins at j * ldc, and
// ldc is at least m. C is not read if beta is 0. Matrix i of the batch begins at i * stride.
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t a_is,
                                          cublasOperation_t b_is, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType_t a_type,
                                          int lda, long long a_stride, const void* b,
                                          cudaDataType_t b_type, int ldb, long long b_stride,
                                          const void* beta, void* c, cudaDataType_t c_type, int ldc,
                                          long long c_stride, int batch,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm);

namespace xf::cuda {
inline cudaStream_t stream() { return nullptr; }  // the only stream needs no handle
}  // namespace xf::cuda
