#include <algorithm>
#include <vector>

#include "cuda/device_memory.hpp"
#include "cuda/emulated_cublas/cublas_v2.h"
#include "cuda/emulator.hpp"
#include "cuda/narrow.hpp"
#include "cuda/watcher.hpp"

struct EmulatedCublas {
  bool has_stream = false;
};

namespace {

using xf::cuda::InsideKernel;

// A matrix as the library is told of it: columns of `leading` numbers.
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
  return x.rows >= 0 && x.columns >= 0 && x.leading >= std::max(1, x.rows) &&
         xf::cuda::on_device(x.data);
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

// op(x) as numbers of the library's own, row by row, rounded as the hardware would.
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

}  // namespace

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = new EmulatedCublas;  // for ever, as the caller keeps it
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t) {
  handle->has_stream = true;
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the library was not initialized";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an unsupported value or parameter was passed";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "the functionality requested is not supported";
  }
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
  if (batch < 0 || !fits(left) || !fits(right) || !fits(result)) return CUBLAS_STATUS_INVALID_VALUE;
  if (batch > 1 && c_stride == 0)
    return CUBLAS_STATUS_INVALID_VALUE;  // each writes over the others
  const bool tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  if (c_type != CUDA_R_32F || a_type != b_type || (tf32 && a_type != CUDA_R_32F))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const float factor = *static_cast<const float*>(alpha), before = *static_cast<const float*>(beta);
  const Library call("cublasGemm");
  for (int i = 0; i < batch; ++i) {
    tell_watcher(left, right, result, before != 0);
    const std::vector<float> x = rows_of(left, a_is, tf32), y = rows_of(right, b_is, tf32);
    std::vector<float> sums(static_cast<std::size_t>(n));
    for (std::ptrdiff_t r = 0; r < m; ++r) {
      std::fill(sums.begin(), sums.end(), 0.0f);
      for (std::ptrdiff_t p = 0; p < k; ++p)
        for (std::ptrdiff_t s = 0; s < n; ++s)
          sums[std::size_t(s)] += x[std::size_t(r * k + p)] * y[std::size_t(p * n + s)];
      for (std::ptrdiff_t s = 0; s < n; ++s) {
        float& out = static_cast<float*>(c)[i * c_stride + s * ldc + r];
        out = factor * sums[std::size_t(s)] + (before != 0 ? before * out : 0);
      }
    }
    const auto next = [](const Columns& x_, long long stride) {
      return static_cast<const char*>(x_.data) + stride * (long long)(x_.number_bytes());
    };
    left.data = next(left, a_stride);
    right.data = next(right, b_stride);
    result.data = next(result, c_stride);
  }
  return CUBLAS_STATUS_SUCCESS;
}
