#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "cuda/device_memory.hpp"
#include "cuda/emulated_cublas/cublas_v2.h"
#include "cuda/emulated_cublas/cublasLt.h"
#include "cuda/emulator.hpp"
#include "cuda/narrow.hpp"
#include "cuda/watcher.hpp"

struct EmulatedCublas {
  bool has_stream = false;
};
struct EmulatedCublasLt {};

namespace {

using xf::cuda::InsideKernel;

// A matrix as passed to the library: column-major, columns `leading` numbers apart.
struct Columns {
  const void* data;
  cudaDataType_t type;
  int rows, columns, leading;

  std::size_t number_bytes() const { return type == CUDA_R_16BF ? 2 : 4; }
  float at(std::ptrdiff_t i, std::ptrdiff_t j) const {
    const std::ptrdiff_t place = j * leading + i;
    return type == CUDA_R_16BF
               ? xf::cuda::to_float(static_cast<const xf::cuda::Bfloat16*>(data)[place])
               : static_cast<const float*>(data)[place];
  }
};

bool fits(const Columns& x) {
  return x.rows >= 0 && x.columns >= 0 && x.leading >= std::max(1, x.rows);
}
bool fits_there(const Columns& x) { return fits(x) && xf::cuda::on_device(x.data); }

bool supported(cudaDataType_t a, cudaDataType_t b, cudaDataType_t c, cublasComputeType_t compute) {
  return c == CUDA_R_32F && a == b && (compute != CUBLAS_COMPUTE_32F_FAST_TF32 || a == CUDA_R_32F);
}

template <class Tell>
void each_column(const Columns& x, const Tell& tell) {
  for (std::ptrdiff_t j = 0; j < x.columns; ++j)
    tell(static_cast<const char*>(x.data) + j * x.leading * std::ptrdiff_t(x.number_bytes()),
         static_cast<std::size_t>(x.rows) * x.number_bytes());
}

void tell_watcher(const Columns& a, const Columns& b, const Columns& c, bool reads_c) {
  auto* const watcher = xf::emulator::watcher;
  if (!watcher) return;
  const auto reads = [=](const void* first, std::size_t bytes) {
    watcher->library_reads(first, bytes);
  };
  each_column(a, reads);
  each_column(b, reads);
  if (reads_c) each_column(c, reads);
  each_column(c,
              [=](const void* first, std::size_t bytes) { watcher->library_writes(first, bytes); });
}

// A row-major copy of op(x), rounded as the hardware would round it.
std::vector<float> rows_of(const Columns& x, cublasOperation_t is, bool tf32) {
  std::vector<float> rows;
  const int m = is == CUBLAS_OP_T ? x.columns : x.rows, n = is == CUBLAS_OP_T ? x.rows : x.columns;
  rows.reserve(std::size_t(m) * std::size_t(n));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      const float number = is == CUBLAS_OP_T ? x.at(j, i) : x.at(i, j);
      rows.push_back(tf32 ? xf::cuda::to_tf32(number) : number);
    }
  return rows;
}

struct Library {
  explicit Library(const char* kernel) {
    xf::cuda::begin_kernel(kernel);
    if (xf::emulator::watcher)
      xf::emulator::watcher->kernel_begins({kernel, xf::dim3(0), xf::dim3(0)});
  }
  ~Library() {
    if (xf::emulator::watcher) xf::emulator::watcher->kernel_ends();
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  const InsideKernel open;
};

// c = factor op(a) op(b) + before c, plus one bias per row; `to` points to the numbers of c.
void multiply(float factor, const Columns& a, cublasOperation_t a_is, const Columns& b,
              cublasOperation_t b_is, cublasComputeType_t compute, float before, const Columns& c,
              float* to, const float* bias) {
  tell_watcher(a, b, c, before != 0);
  const bool tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const std::vector<float> x = rows_of(a, a_is, tf32), y = rows_of(b, b_is, tf32);
  const std::ptrdiff_t m = c.rows, n = c.columns, k = a_is == CUBLAS_OP_T ? a.rows : a.columns;
  std::vector<float> sums(static_cast<std::size_t>(n));
  for (std::ptrdiff_t r = 0; r < m; ++r) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (std::ptrdiff_t p = 0; p < k; ++p)
      for (std::ptrdiff_t s = 0; s < n; ++s)
        sums[std::size_t(s)] += x[std::size_t(r * k + p)] * y[std::size_t(p * n + s)];
    for (std::ptrdiff_t s = 0; s < n; ++s) {
      float& out = to[s * c.leading + r];
      out = factor * sums[std::size_t(s)] + (before != 0 ? before * out : 0) + (bias ? bias[r] : 0);
    }
  }
}

constexpr std::size_t scratch = 4096;  // what its only algorithm needs of the workspace

template <class T>
cublasStatus_t set(T& attribute, const void* value, std::size_t bytes) {
  if (!value || bytes != sizeof attribute) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&attribute, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

Columns columns_of(const cublasLtMatrixLayoutOpaque_t& layout, const void* data) {
  return {data, layout.type, static_cast<int>(layout.rows), static_cast<int>(layout.columns),
          static_cast<int>(layout.leading)};
}

bool aligned(const void* x, std::uint32_t bytes) {
  return reinterpret_cast<std::uintptr_t>(x) % bytes == 0;
}

cublasStatus_t judge(const cublasLtMatmulDescOpaque_t& product, const Columns& a, const Columns& b,
                     const Columns& c, const Columns& d) {
  const bool a_turned = product.a_is == CUBLAS_OP_T, b_turned = product.b_is == CUBLAS_OP_T;
  if (!fits(a) || !fits(b) || !fits(c) || !fits(d) || c.rows != d.rows || c.columns != d.columns ||
      (a_turned ? a.columns : a.rows) != d.rows || (b_turned ? b.rows : b.columns) != d.columns ||
      (a_turned ? a.rows : a.columns) != (b_turned ? b.columns : b.rows))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (c.type != d.type || product.scale != CUDA_R_32F ||
      !supported(a.type, b.type, d.type, product.compute))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = new EmulatedCublas;  // never deleted: the caller keeps it
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t) {
  handle->has_stream = true;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusString(cublasStatus_t status) {
  static constexpr std::pair<cublasStatus_t, const char*> texts[] = {
      {CUBLAS_STATUS_SUCCESS, "success"},
      {CUBLAS_STATUS_NOT_INITIALIZED, "the library was not initialized"},
      {CUBLAS_STATUS_INVALID_VALUE, "an unsupported value or parameter was passed"},
      {CUBLAS_STATUS_NOT_SUPPORTED, "the functionality requested is not supported"}};
  for (const auto& [known, text] : texts)
    if (known == status) return text;
  return "unknown";
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t a_is,
                                          cublasOperation_t b_is, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType_t a_type,
                                          int lda, long long a_stride, const void* b,
                                          cudaDataType_t b_type, int ldb, long long b_stride,
                                          const void* beta, void* c, cudaDataType_t c_type, int ldc,
                                          long long c_stride, int batch,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
  if (!handle || !handle->has_stream) return CUBLAS_STATUS_NOT_INITIALIZED;
  const auto matrix = [](const void* data, cudaDataType_t type, cublasOperation_t is, int rows,
                         int columns, int leading) {
    return is == CUBLAS_OP_T ? Columns{data, type, columns, rows, leading}
                             : Columns{data, type, rows, columns, leading};
  };
  Columns left = matrix(a, a_type, a_is, m, k, lda), right = matrix(b, b_type, b_is, k, n, ldb),
          result = matrix(c, c_type, CUBLAS_OP_N, m, n, ldc);
  if (batch < 0 || !fits_there(left) || !fits_there(right) || !fits_there(result))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (batch > 1 && c_stride == 0)
    return CUBLAS_STATUS_INVALID_VALUE;  // each would overwrite the others
  if (!supported(a_type, b_type, c_type, compute)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const float factor = *static_cast<const float*>(alpha), before = *static_cast<const float*>(beta);
  const Library call("cublasGemm");
  for (int i = 0; i < batch; ++i) {
    multiply(factor, left, a_is, right, b_is, compute, before, result,
             static_cast<float*>(c) + i * c_stride, nullptr);
    const auto next = [](const Columns& x_, long long stride) {
      return static_cast<const char*>(x_.data) + stride * (long long)(x_.number_bytes());
    };
    left.data = next(left, a_stride);
    right.data = next(right, b_stride);
    result.data = next(result, c_stride);
  }
  return CUBLAS_STATUS_SUCCESS;
}

// ---- cuBLASLt -----------------------------------------------------------------------------------

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = new EmulatedCublasLt;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t product, cublasComputeType_t compute,
                                      cudaDataType_t scale) {
  *product = {compute, scale, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT, nullptr};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return set(product->a_is, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return set(product->b_is, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return set(product->epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return set(product->bias, value, bytes);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType_t type,
                                        std::uint64_t rows, std::uint64_t columns,
                                        std::int64_t leading) {
  *layout = {type, rows, columns, leading};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference) {
  *preference = {0, {256, 256, 256, 256}};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return set(preference->workspace, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      return set(preference->least.a, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      return set(preference->least.b, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      return set(preference->least.c, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return set(preference->least.d, value, bytes);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a_is,
                                              cublasLtMatrixLayout_t b_is,
                                              cublasLtMatrixLayout_t c_is,
                                              cublasLtMatrixLayout_t d_is,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t* found, int* count) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (most < 1) return CUBLAS_STATUS_INVALID_VALUE;
  *count = 0;
  const cublasStatus_t status =
      judge(*product, columns_of(*a_is, nullptr), columns_of(*b_is, nullptr),
            columns_of(*c_is, nullptr), columns_of(*d_is, nullptr));
  const auto of_bias = reinterpret_cast<std::uintptr_t>(product->bias) % 256;
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  if (preference->workspace < scratch || of_bias % 8 != 0) return CUBLAS_STATUS_NOT_SUPPORTED;
  const auto bias = static_cast<std::uint32_t>(of_bias == 0 ? 256 : of_bias & -of_bias);
  *found = {{preference->least, bias}, scratch, CUBLAS_STATUS_SUCCESS};
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                              const void* alpha, const void* a, cublasLtMatrixLayout_t a_is,
                              const void* b, cublasLtMatrixLayout_t b_is, const void* beta,
                              const void* c, cublasLtMatrixLayout_t c_is, void* d,
                              cublasLtMatrixLayout_t d_is, const cublasLtMatmulAlgo_t* algorithm,
                              void* workspace, std::size_t workspace_bytes, cudaStream_t) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  const Columns left = columns_of(*a_is, a), right = columns_of(*b_is, b),
                before = columns_of(*c_is, c), result = columns_of(*d_is, d);
  const cublasStatus_t status = judge(*product, left, right, before, result);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const bool biased = product->epilogue == CUBLASLT_EPILOGUE_BIAS;
  const EmulatedAlignments& least = algorithm->least;
  for (const void* pointer : {a, b, c, static_cast<const void*>(d),
                              static_cast<const void*>(workspace), biased ? product->bias : d})
    if (!xf::cuda::on_device(pointer)) return CUBLAS_STATUS_INVALID_VALUE;
  if (!aligned(a, least.a) || !aligned(b, least.b) || !aligned(c, least.c) ||
      !aligned(d, least.d) || (biased && !aligned(product->bias, algorithm->bias)) ||
      workspace_bytes < scratch || !aligned(workspace, 256))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (c != d || before.leading != result.leading) return CUBLAS_STATUS_NOT_SUPPORTED;
  xf::cuda::require_one_block(workspace, workspace_bytes, "cuBLAS's workspace");
  const Library call("cublasGemm");
  const auto* bias = biased ? static_cast<const float*>(product->bias) : nullptr;
  if (bias && xf::emulator::watcher)
    xf::emulator::watcher->library_reads(bias, std::size_t(result.rows) * sizeof(float));
  multiply(*static_cast<const float*>(alpha), left, product->a_is, right, product->b_is,
           product->compute, *static_cast<const float*>(beta), result, static_cast<float*>(d),
           bias);
  return CUBLAS_STATUS_SUCCESS;
}
