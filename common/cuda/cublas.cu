#include "cuda/cublas.hpp"

#ifdef XF_CUBLAS

#include <cublas_v2.h>
#include <cublasLt.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

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
cudaDataType_t type_of(Numbers numbers) {
  return numbers == Numbers::bfloat16 ? CUDA_R_16BF : CUDA_R_32F;
}
cublasComputeType_t compute_type(Numbers numbers) {
  return numbers == Numbers::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

// ---- a bias in the same kernel ------------------------------------------------------------------

cublasLtHandle_t light_handle() {
  static const cublasLtHandle_t handle = [] {
    cublasLtHandle_t made = nullptr;
    check(cublasLtCreate(&made));
    return made;
  }();
  return handle;
}

constexpr std::size_t workspace_bytes = 32 << 20;  // NVIDIA's recommendation for an H100
void* workspace() {
  static void* const block = allocate(workspace_bytes);  // never destroyed
  return block;
}

// The largest power of two, up to 256, that divides the address.
std::uint32_t alignment(const void* x) {
  return 1u << std::countr_zero(reinterpret_cast<std::uintptr_t>(x) | 256);
}

// C = A B + bias, with everything on which cuBLAS's choice of algorithm depends.
struct Biased {
  Numbers numbers;
  int m, n, k;
  const Factor &a, &b;
  float* c;
  std::ptrdiff_t c_stride;
  const float* bias;

  auto key() const {
    return std::tuple(numbers, m, n, k, a.transposed, b.transposed, a.stride, b.stride, c_stride,
                      alignment(a.data), alignment(b.data), alignment(c), alignment(bias));
  }
};

// How cuBLAS computes such a product; `found` is false if it cannot.
struct Plan {
  cublasLtMatmulDescOpaque_t product;
  cublasLtMatrixLayoutOpaque_t a, b, c;
  cublasLtMatmulAlgo_t algorithm;
  bool found = false;

  void point_to(const float* bias) { set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias); }
  template <class T>
  void set(cublasLtMatmulDescAttributes_t what, T value) {
    check(cublasLtMatmulDescSetAttribute(&product, what, &value, sizeof value));
  }
};

// A row-major (rows, columns) factor, which cuBLAS reads as its transpose.
void lay_out(cublasLtMatrixLayoutOpaque_t& layout, cudaDataType_t type, int rows, int columns,
             bool transposed, std::ptrdiff_t stride) {
  check(cublasLtMatrixLayoutInit(&layout, type,
                                 static_cast<std::uint64_t>(transposed ? rows : columns),
                                 static_cast<std::uint64_t>(transposed ? columns : rows), stride));
}

// cuBLAS's first factor is B and its second is A; see cublas_gemm().
void make(Plan& plan, const Biased& p) {
  check(cublasLtMatmulDescInit(&plan.product, compute_type(p.numbers), CUDA_R_32F));
  plan.set(CUBLASLT_MATMUL_DESC_TRANSA, operation(p.b));
  plan.set(CUBLASLT_MATMUL_DESC_TRANSB, operation(p.a));
  plan.set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
  plan.point_to(p.bias);
  lay_out(plan.a, type_of(p.numbers), p.m, p.k, p.a.transposed, p.a.stride);
  lay_out(plan.b, type_of(p.numbers), p.k, p.n, p.b.transposed, p.b.stride);
  lay_out(plan.c, CUDA_R_32F, p.m, p.n, false, p.c_stride);

  cublasLtMatmulPreferenceOpaque_t wishes;
  check(cublasLtMatmulPreferenceInit(&wishes));
  const auto wish = [&](cublasLtMatmulPreferenceAttributes_t what, auto value) {
    check(cublasLtMatmulPreferenceSetAttribute(&wishes, what, &value, sizeof value));
  };
  wish(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t(workspace_bytes));
  wish(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(p.b.data));
  wish(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(p.a.data));
  wish(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(p.c));
  // For D and also for the bias, whose alignment has no preference of its own.
  wish(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, std::min(alignment(p.c), alignment(p.bias)));

  cublasLtMatmulHeuristicResult_t best;
  int count = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      light_handle(), &plan.product, &plan.b, &plan.a, &plan.c, &plan.c, &wishes, 1, &best, &count);
  if (status != CUBLAS_STATUS_NOT_SUPPORTED) check(status);
  plan.found = status == CUBLAS_STATUS_SUCCESS && count > 0 && best.state == CUBLAS_STATUS_SUCCESS;
  if (plan.found) plan.algorithm = best.algo;
}

// Each plan is created once. Batches of other lengths need other plans; a few thousand are kept.
Plan& plan_of(const Biased& p) {
  const auto key = p.key();
  static std::map<std::remove_const_t<decltype(key)>, Plan> plans;
  const auto known = plans.find(key);
  if (known != plans.end()) return known->second;
  if (plans.size() == 4096) plans.clear();
  Plan& plan = plans[key];
  make(plan, p);
  return plan;
}

// Returns false if cuBLAS has no such kernel.
bool product_with_bias(const Biased& p) {
  Plan& plan = plan_of(p);
  if (!plan.found) return false;
  plan.point_to(p.bias);
  const float one = 1, zero = 0;
  check(cublasLtMatmul(light_handle(), &plan.product, &one, p.b.data, &plan.b, p.a.data, &plan.a,
                       &zero, p.c, &plan.c, p.c, &plan.c, &plan.algorithm, workspace(),
                       workspace_bytes, stream()));
  return true;
}

// Fallback if there is no such kernel: C is filled with the bias, and the product is added.
__global__ void repeat_bias(float* c, int rows, int columns, std::ptrdiff_t stride,
                            const float* bias) {
  const std::ptrdiff_t i = warp_number();
  if (i >= rows) return;
  for (std::ptrdiff_t j = first_column(); j < columns; j += column_step())
    c[i * stride + j] = bias[j];
}

}  // namespace

// cuBLAS matrices are column-major, so it sees each of ours transposed and computes C^T = B^T A^T.
// Its bias has one number per row of C^T, which is our bias with one number per column of C.
void cublas_gemm(Numbers numbers, std::ptrdiff_t batch, int m, int n, int k, const Factor& a,
                 const Factor& b, float* c, std::ptrdiff_t c_stride, std::ptrdiff_t c_step,
                 bool sum, const float* bias) {
  if (bias && batch == 1 && product_with_bias({numbers, m, n, k, a, b, c, c_stride, bias})) return;
  if (bias)
    for (std::ptrdiff_t i = 0; i < batch; ++i)
      launch(one_warp_each_stretch("repeat_bias", m, n), repeat_bias, c + i * c_step, m, n,
             c_stride, bias);
  const float one = 1, before = sum || bias ? 1 : 0;
  const cudaDataType_t factors = type_of(numbers);
  check(cublasGemmStridedBatchedEx(handle(), operation(b), operation(a), n, m, k, &one, b.data,
                                   factors, static_cast<int>(b.stride), b.step, a.data, factors,
                                   static_cast<int>(a.stride), a.step, &before, c, CUDA_R_32F,
                                   static_cast<int>(c_stride), c_step, static_cast<int>(batch),
                                   compute_type(numbers), CUBLAS_GEMM_DEFAULT));
}

}  // namespace xf::cuda

#endif
