#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "tensor/device.hpp"
#include "tensor/stored_rows.hpp"

namespace xf::kernel {

// A matrix as a product reads it: element (i, j) is data[i * stride + j] or, if transposed,
// data[j * stride + i].
//
// `*form` holds another representation of this matrix, kept for later products; for a whole tensor
// it is its Storage::form().
struct Matrix {
  const float* data;
  int rows, columns;
  std::ptrdiff_t stride = columns;
  bool transposed = false;
  std::shared_ptr<void>* form = nullptr;
  // On the CPU, for a transposed B without `data`: W, whose rows are read in their own format.
  StoredRows stored = {};

  Matrix transpose() const { return {data, columns, rows, stride, !transposed, form, stored}; }
  const float* at(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return data + (transposed ? j * stride + i : i * stride + j);
  }
  // A range of the rows or of the columns.
  Matrix rows_from(std::ptrdiff_t first, std::ptrdiff_t count) const {
    return {at(first, 0), static_cast<int>(count), columns, stride, transposed};
  }
  Matrix columns_from(std::ptrdiff_t first, std::ptrdiff_t count) const {
    if (stored.format)
      return {nullptr, rows, static_cast<int>(count), stride, true, nullptr, stored.from(first)};
    return {at(0, first), rows, static_cast<int>(count), stride, transposed};
  }
};

// The result of a product.
struct Result {
  float* data;
  int rows, columns;
  std::ptrdiff_t stride = columns;

  float* row(std::ptrdiff_t i) const { return data + i * stride; }
  Result rows_from(std::ptrdiff_t first, std::ptrdiff_t count) const {
    return {row(first), static_cast<int>(count), columns, stride};
  }
  Result columns_from(std::ptrdiff_t first, std::ptrdiff_t count) const {
    return {data + first, rows, static_cast<int>(count), stride};
  }
};

// What a product is added to: nothing, C's numbers, or one bias for every row; not both.
struct Epilogue {
  bool sum = false;
  const float* bias = nullptr;  // (columns)

  Epilogue columns_from(std::ptrdiff_t first) const { return {sum, bias ? bias + first : nullptr}; }
};

// C = A B, C += A B, or C = A B + bias; on the CPU in `same` arithmetic
//   C[i, j] = ((start + A[i, 0] B[0, j]) + A[i, 1] B[1, j]) + ...
// where start is 0, C[i, j] or bias[j], whichever path computes it. Large products are split over
// the threads, unless the caller is itself one of several tasks. Throws std::invalid_argument if
// the sizes do not fit.
template <class On>
void gemm(On, const Matrix& a, const Matrix& b, const Result& c, const Epilogue& epilogue = {});

// The same for each matrix of three stacks of contiguous matrices. The stacks are split over the
// threads.
template <class On>
void batched_gemm(On, std::ptrdiff_t batch, const Matrix& a, const Matrix& b, const Result& c,
                  bool sum);

// The same for a B that is already in the fastest order (panel_order.hpp).
class PanelMatrix;
template <class On>
void gemm(On, const Matrix& a, const PanelMatrix& b, const Result& c,
          const Epilogue& epilogue = {});

// Products of one A with several B, C = A B + bias for each, as a single task for the threads. This
// matters for few rows: starting a thread takes as long as reading a small weight.
struct Product {
  Matrix b;
  Result c;
  const float* bias = nullptr;
};
template <class On>
void gemm(On, const Matrix& a, std::span<const Product> products);

}  // namespace xf::kernel
