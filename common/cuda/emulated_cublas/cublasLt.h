#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/emulated_cublas/cublas_v2.h"

// The same for what common/cuda/cublas.cu uses of cuBLASLt, which is told first of a product, then
// names an algorithm for it, and then computes it with other pointers as often as one likes.

using cublasLtHandle_t = struct EmulatedCublasLt*;

enum cublasLtEpilogue_t { CUBLASLT_EPILOGUE_DEFAULT = 1, CUBLASLT_EPILOGUE_BIAS = 4 };
enum cublasLtMatmulDescAttributes_t {
  CUBLASLT_MATMUL_DESC_TRANSA = 3,
  CUBLASLT_MATMUL_DESC_TRANSB = 4,
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,
};
enum cublasLtMatmulPreferenceAttributes_t {
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8,
};

// What is inside is the library's own affair.
struct cublasLtMatmulDescOpaque_t {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  cublasOperation_t a_is, b_is;
  cublasLtEpilogue_t epilogue;
  const void* bias;  // of D's type
};
struct cublasLtMatrixLayoutOpaque_t {
  cudaDataType_t type;
  std::uint64_t rows, columns;
  std::int64_t leading;
};
struct EmulatedAlignments {
  std::uint32_t a, b, c, d;
};
struct cublasLtMatmulPreferenceOpaque_t {
  std::uint64_t workspace;
  EmulatedAlignments least;
};
using cublasLtMatmulDesc_t = cublasLtMatmulDescOpaque_t*;
using cublasLtMatrixLayout_t = cublasLtMatrixLayoutOpaque_t*;
using cublasLtMatmulPreference_t = cublasLtMatmulPreferenceOpaque_t*;

// This one works as long as the pointers are aligned as it was told; `bias` as the bias was then.
struct cublasLtMatmulAlgo_t {
  EmulatedAlignments least;
  std::uint32_t bias;
};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  std::size_t workspaceSize;
  cublasStatus_t state;
};

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle);

cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t product, cublasComputeType_t compute,
                                      cudaDataType_t scale);
// `bytes` is the size of what lies at `value`, and must be that of the attribute.
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes);
cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType_t type,
                                        std::uint64_t rows, std::uint64_t columns,
                                        std::int64_t leading);
cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference);
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes);

// The stand-in knows one algorithm, which takes a workspace, and none for a bias at an odd multiple
// of four bytes: so that it is seen what the caller does then.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a_is,
                                              cublasLtMatrixLayout_t b_is,
                                              cublasLtMatrixLayout_t c_is,
                                              cublasLtMatrixLayout_t d_is,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t* found, int* count);

// D = alpha op(A) op(B) + beta C, and with CUBLASLT_EPILOGUE_BIAS the bias added to each column of
// it, a number for each row.
cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_is,
                              const void* b, cublasLtMatrixLayout_t b_is, const void* beta,
                              const void* c, cublasLtMatrixLayout_t c_is, void* d,
                              cublasLtMatrixLayout_t d_is, const cublasLtMatmulAlgo_t* algorithm,
                              void* workspace, std::size_t workspace_bytes, cudaStream_t stream);
