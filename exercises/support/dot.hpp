#pragma once

// xt::linalg::dot for the matrices of the exercises, compiled once: xtensor-blas's template costs
// most of a second of compile time in every file, and overload resolution prefers these functions.

#include <concepts>
#include <utility>

#include "tensor/xt_linalg.hpp"

namespace xf::exercise::blas {

using Matrix = xt::xtensor<float, 2>;
template <class M>
concept Transposed = std::same_as<M, decltype(xt::transpose(std::declval<Matrix&>()))> ||
    std::same_as<M, decltype(xt::transpose(std::declval<const Matrix&>()))>;
template <class M>
concept MatrixOrTransposed = std::same_as<M, Matrix> || Transposed<M>;

// A matrix stored row by row, to be read as it is or transposed.
struct MatrixView {
  const float* data;
  std::size_t rows, columns;  // after transposing
  bool transposed;
};
template <MatrixOrTransposed M>
MatrixView view(const M& m) {
  return {m.storage().data(), m.shape()[0], m.shape()[1], Transposed<M>};
}

// a b. Throws std::invalid_argument when the inner sizes differ.
Matrix product(const MatrixView& a, const MatrixView& b);

}  // namespace xf::exercise::blas

namespace xt::linalg {

template <xf::exercise::blas::MatrixOrTransposed A, xf::exercise::blas::MatrixOrTransposed B>
xf::exercise::blas::Matrix dot(const A& a, const B& b) {
  return xf::exercise::blas::product(xf::exercise::blas::view(a), xf::exercise::blas::view(b));
}

}  // namespace xt::linalg
