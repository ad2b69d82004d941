#include "tensor/openblas.hpp"

#include <dlfcn.h>

// First: xtensor-blas 0.21 asks whether there is a cblas before it says that there is, and then
// multiplies in loops of its own.
#include <xtensor-blas/xblas_config.hpp>

#include <xtensor-blas/xblas.hpp>

#include <initializer_list>
#include <string_view>

extern "C" void openblas_set_num_threads(int count);
extern "C" char* openblas_get_corename();

namespace xf::openblas {

int lanes() {
  static const int count = [] {
    const std::string_view core = openblas_get_corename();
    for (const char* name : {"SkylakeX", "Cooperlake", "SapphireRapids"})
      if (core == name) return 16;
    for (const char* name : {"Haswell", "Zen", "Excavator", "Steamroller", "Piledriver"})
      if (core == name) return 8;
    return 4;
  }();
  return count;
}

// OpenBLAS built on OpenMP takes its thread count from each calling thread.
void use_one_thread() {
  using SetThreads = void (*)(int);
  if (const auto set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "omp_set_num_threads")))
    set(1);
  openblas_set_num_threads(1);
}

// By way of xtensor-blas.
void gemm(int m, int n, int k, const Operand& a, const Operand& b, float* c,
          std::ptrdiff_t c_stride, bool sum) {
  using cxxblas::NoTrans, cxxblas::RowMajor, cxxblas::Trans;
  cxxblas::gemm<int>(RowMajor, a.transposed ? Trans : NoTrans, b.transposed ? Trans : NoTrans, m, n,
                     k, 1.0f, a.data, int(a.stride), b.data, int(b.stride), sum ? 1.0f : 0.0f, c,
                     int(c_stride));
}

}  // namespace xf::openblas
