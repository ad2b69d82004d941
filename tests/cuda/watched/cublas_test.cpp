#include <doctest/doctest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "cuda/counts.hpp"
#include "cuda/device_memory.hpp"
#include "cuda/emulated_cublas/cublasLt.h"
#include "cuda/emulator.hpp"
#include "ops/matmul/gemm.hpp"
#include "ops/matmul/precision.hpp"

// What products with a bias ask of cuBLAS, and what its stand-in does not let pass.
namespace xf::test {

namespace {

using cuda::Buffer;

// A product of column-major matrices as the library is given it: D (m, n) = A (m, k) B (k, n)
// and the bias of each row. A test changes what it is about.
struct LtCall {
  static constexpr int m = 12, n = 8, k = 4;
  Buffer<float> a{m * k}, b{k * n}, d{m * n}, bias{m}, workspace{1024};
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDescOpaque_t product;
  cublasLtMatrixLayoutOpaque_t a_is, b_is, d_is;
  cublasLtMatmulPreferenceOpaque_t wishes;
  cublasLtMatmulHeuristicResult_t best;
  const float *a_at = a.data(), *bias_at = bias.data();
  float* workspace_at = workspace.data();
  std::size_t workspace_bytes = 4096;

  LtCall() {
    for (Buffer<float>* x : {&a, &b, &bias}) {
      std::vector<float> numbers = x->values();
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = x == &bias ? float(i) : 1;
      cuda::copy_to_device(x->data(), numbers.data(), numbers.size() * sizeof(float));
    }
    cublasLtCreate(&handle);
    cublasLtMatmulDescInit(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
    cublasLtMatrixLayoutInit(&a_is, CUDA_R_32F, m, k, m);
    cublasLtMatrixLayoutInit(&b_is, CUDA_R_32F, k, n, k);
    cublasLtMatrixLayoutInit(&d_is, CUDA_R_32F, m, n, m);
    cublasLtMatmulPreferenceInit(&wishes);
    wishes.workspace = workspace_bytes;
  }
  template <class T>
  cublasStatus_t set(cublasLtMatmulDescAttributes_t attribute, T value) {
    return cublasLtMatmulDescSetAttribute(&product, attribute, &value, sizeof value);
  }
  cublasStatus_t choose() {
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias_at);
    int count = 0;
    return cublasLtMatmulAlgoGetHeuristic(handle, &product, &a_is, &b_is, &d_is, &d_is, &wishes, 1,
                                          &best, &count);
  }
  cublasStatus_t compute() {
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias_at);
    const float one = 1, zero = 0;
    return cublasLtMatmul(handle, &product, &one, a_at, &a_is, b.data(), &b_is, &zero, d.data(),
                          &d_is, d.data(), &d_is, &best.algo, workspace_at, workspace_bytes,
                          nullptr);
  }
};

template <class Mistake>
cublasStatus_t chosen_after(const Mistake& mistake) {
  LtCall call;
  mistake(call);
  return call.choose();
}

template <class Mistake>
cublasStatus_t computed_after(const Mistake& mistake) {
  LtCall call;
  CHECK(call.choose() == CUBLAS_STATUS_SUCCESS);
  mistake(call);
  return call.compute();
}

}  // namespace

TEST_CASE("cublas: a product with a bias is one kernel, and two where the library has none") {
  const int m = 5, n = 6, k = 7;
  Buffer<float> a(m * k), b(k * n), c(m * n), bias(n + 1);
  for (Buffer<float>* x : {&a, &b, &bias}) {
    const std::vector<float> ones(x->values().size(), 1.0f);
    cuda::copy_to_device(x->data(), ones.data(), ones.size() * sizeof(float));
  }
  using Launches = std::map<std::string, long>;
  for (int from : {0, 1}) {
    const auto product = [&] {
      kernel::gemm(Cuda{}, {a.data(), m, k}, {b.data(), k, n}, {c.data(), m, n},
                   {.bias = bias.data() + from});
    };
    product();  // the library's own memory is there
    Launches launches;
    {
      const cuda::Counting counting;
      product();
      for (const auto& [name, kernel] : counting.so_far().kernels) launches[name] = kernel.launches;
      CHECK(counting.so_far().allocations == 0);
    }
    CHECK(launches == (from == 0 ? Launches{{"cublasGemm", 1}}
                                 : Launches{{"cublasGemm", 1}, {"repeat_bias", 1}}));
    CHECK(c.values() == std::vector<float>(m * n, k + 1.0f));
  }
}

TEST_CASE("cublas: a product with a bias is computed in the precision of the moment") {
  const float more = 1 + 1.0f / 4096;  // a bit too many for TF32
  Buffer<float> one(1), zero(1), y(1);
  cuda::copy_to_device(one.data(), &more, sizeof more);
  cuda::copy_to_device(zero.data(), std::array{0.0f}.data(), sizeof more);
  for (int times = 0; times < 2; ++times)
    for (Precision precision : {Precision::float32, Precision::tf32, Precision::bf16}) {
      const ProductPrecision used(precision);
      kernel::gemm(Cuda{}, {one.data(), 1, 1}, {one.data(), 1, 1}, {y.data(), 1, 1},
                   {.bias = zero.data()});
      CHECK(y.values()[0] == (precision == Precision::float32 ? more * more : 1));
    }
}

TEST_CASE("cublas: the stand-in adds the bias of each row") {
  LtCall call;
  CHECK(call.choose() == CUBLAS_STATUS_SUCCESS);
  CHECK(call.compute() == CUBLAS_STATUS_SUCCESS);
  const std::vector<float> got = call.d.values();
  for (int j = 0; j < LtCall::n; ++j)
    for (int i = 0; i < LtCall::m; ++i)
      CHECK(got[std::size_t(j * LtCall::m + i)] == float(LtCall::k + i));
}

TEST_CASE("cublas: the stand-in names no algorithm for what does not fit") {
  const auto invalid = [](const auto& mistake) {
    CHECK(chosen_after(mistake) == CUBLAS_STATUS_INVALID_VALUE);
  };
  invalid([](LtCall& call) { call.a_is.leading = LtCall::m - 1; });
  invalid([](LtCall& call) { call.b_is.leading = LtCall::k - 1; });
  invalid([](LtCall& call) { call.d_is.leading = LtCall::m - 1; });
  invalid([](LtCall& call) { call.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T); });
  invalid([](LtCall& call) { call.set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_T); });
  invalid([](LtCall& call) { --call.d_is.columns; });
  const auto unsupported = [](const auto& mistake) {
    CHECK(chosen_after(mistake) == CUBLAS_STATUS_NOT_SUPPORTED);
  };
  unsupported([](LtCall& call) { call.a_is.type = CUDA_R_16BF; });
  unsupported([](LtCall& call) { call.d_is.type = CUDA_R_16BF; });
  unsupported([](LtCall& call) {
    call.a_is.type = call.b_is.type = CUDA_R_16BF;
    call.product.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  });
  unsupported([](LtCall& call) { call.wishes.workspace = 0; });
  unsupported([](LtCall& call) { ++call.bias_at; });
  CHECK(LtCall().set(CUBLASLT_MATMUL_DESC_TRANSA, std::int64_t(0)) == CUBLAS_STATUS_INVALID_VALUE);
}

TEST_CASE("cublas: the stand-in computes nothing with memory that does not fit") {
  const auto invalid = [](const auto& mistake) {
    CHECK(computed_after(mistake) == CUBLAS_STATUS_INVALID_VALUE);
  };
  const float on_host[LtCall::m] = {};
  invalid([&](LtCall& call) { call.bias_at = on_host; });
  invalid([](LtCall& call) { call.bias_at = nullptr; });
  invalid([](LtCall& call) { call.bias_at += 4; });  // aligned, but less than it was
  invalid([](LtCall& call) { ++call.a_at; });
  invalid([](LtCall& call) { call.workspace_at = nullptr; });
  invalid([](LtCall& call) { ++call.workspace_at; });
  invalid([](LtCall& call) { call.workspace_bytes = 1024; });
  CHECK_THROWS_WITH_AS(computed_after([](LtCall& call) { call.workspace_bytes *= 2; }),
                       "cuda-emulated: cuBLAS's workspace reaches beyond a block of memory",
                       std::logic_error);
  Buffer<float> few(LtCall::m - 1), fresh(LtCall::m);
  const auto broken = [](const auto& mistake, const char* message) {
    CHECK_THROWS_WITH_AS(computed_after(mistake), message, emulator::BrokenKernel);
  };
  broken([&](LtCall& call) { call.bias_at = few.data(); },
         "cuBLAS of 48 bytes, 0 bytes into a block of 44, is longer than that");
  broken([&](LtCall& call) { call.bias_at = fresh.data(); },
         "cuBLAS reads device memory that nobody has written to");
}

}  // namespace xf::test
