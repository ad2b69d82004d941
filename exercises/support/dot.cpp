#include "support/dot.hpp"

#include "ops/check.hpp"
#include "ops/matmul/gemm.hpp"

namespace xf::exercise::blas {

static kernel::Matrix as_stored(const MatrixView& m) {
  return {m.data, static_cast<int>(m.transposed ? m.rows : m.columns), m.transposed};
}

static std::string text(const MatrixView& m) {
  return Shape{static_cast<int>(m.rows), static_cast<int>(m.columns)}.str();
}

Matrix product(const MatrixView& a, const MatrixView& b) {
  require(a.columns == b.rows, "dot",
          [&] { return "inner sizes differ: a is " + text(a) + ", b is " + text(b); });
  Matrix y = Matrix::from_shape({a.rows, b.columns});
  const int columns = static_cast<int>(b.columns);
  kernel::gemm(Cpu{}, static_cast<int>(a.rows), columns, static_cast<int>(a.columns), as_stored(a),
               as_stored(b), y.data(), columns, false);
  return y;
}

}  // namespace xf::exercise::blas
