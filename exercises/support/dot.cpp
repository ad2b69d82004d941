#include "support/dot.hpp"

#include "ops/check.hpp"
#include "ops/matmul/gemm.hpp"

namespace xf::exercise::blas {

static kernel::Matrix matrix(const MatrixView& m) {
  const int rows = static_cast<int>(m.rows), columns = static_cast<int>(m.columns);
  return {.data = m.data,
          .rows = rows,
          .columns = columns,
          .stride = m.transposed ? rows : columns,
          .transposed = m.transposed};
}

static std::string text(const MatrixView& m) {
  return Shape{static_cast<int>(m.rows), static_cast<int>(m.columns)}.str();
}

Matrix product(const MatrixView& a, const MatrixView& b) {
  require(a.columns == b.rows, "dot",
          [&] { return "inner sizes differ: a is " + text(a) + ", b is " + text(b); });
  Matrix y = Matrix::from_shape({a.rows, b.columns});
  kernel::gemm(
      SameCpu{}, matrix(a), matrix(b),
      {.data = y.data(), .rows = static_cast<int>(a.rows), .columns = static_cast<int>(b.columns)});
  return y;
}

}  // namespace xf::exercise::blas
