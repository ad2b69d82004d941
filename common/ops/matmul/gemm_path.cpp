#include <cstdlib>
#include <string_view>

#include "ops/matmul/gemm.hpp"

namespace xf::kernel {

namespace {

GemmPath& current_path() {
  static GemmPath path = [] {
    const char* name = std::getenv("XF_GEMM");
    return name && std::string_view(name) == "openblas" ? GemmPath::openblas : GemmPath::fastest;
  }();
  return path;
}

}  // namespace

GemmPath gemm_path() { return current_path(); }
void set_gemm_path(GemmPath path) { current_path() = path; }

}  // namespace xf::kernel
