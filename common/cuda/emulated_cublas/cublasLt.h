#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/emulated_cublas/cublas_v2.h"

// The same for the part of cuBLASLt that common/cuda/cublas.cu uses: it is first given a product,
// selects an algorithm for it, and then runs it any number of times with different pointers.

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

// The contents are internal to the library.
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

// This algorithm works while pointers keep the promised alignment, and `bias` the one it had then.
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
// `bytes` is the size of the object at `value`, and must match the size of the attribute.
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

// The stand-in knows one algorithm, which needs a workspace, but none for a bias at an odd multiple
// of four bytes, so that the caller's fallback is exercised, too.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a_is,
                                              cublasLtMatrixLayout_t b_is,
                                              cublasLtMatrixLayout_t c_is,
                                              cublasLtMatrixLayout_t d_is,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t* found, int* count);

// D = alpha op(A) op(B) + beta C; with CUBLASLT_EPILOGUE_BIAS, a bias with one number per row is
// added to each column.
cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_is,
                              const void* b, cublasLtMatrixLayout_t b_is, const void* beta,
                              const void* c, cublasLtMatrixLayout_t c_is, void* d,
                              cublasLtMatrixLayout_t d_is, const cublasLtMatmulAlgo_t* algorithm,
                              void* workspace, std::size_t workspace_bytes, cudaStream_t stream);
