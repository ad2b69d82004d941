#pragma once

#include <memory>

#include "cuda/narrow.hpp"
#include "ops/matmul/precision.hpp"
#include "tensor/device.hpp"

// The bfloat16 copy of a tensor on a GPU, row-major, for products of that precision. A kernel whose
// result is an input of products writes both, which saves a separate conversion kernel.
namespace xf::kernel {

using Bf16Copy = cuda::Buffer<cuda::Bfloat16>;

// The bfloat16 numbers already kept there; null if there are none.
inline std::shared_ptr<Bf16Copy> bf16_in(const std::shared_ptr<void>* place) {
  return place ? std::static_pointer_cast<Bf16Copy>(*place) : nullptr;
}

// Memory for `count` of them, kept in `place` unless that is null.
inline std::shared_ptr<Bf16Copy> new_bf16(std::shared_ptr<void>* place, std::ptrdiff_t count) {
  const auto bf16 = std::make_shared<Bf16Copy>(static_cast<std::size_t>(count));
  if (place) *place = bf16;
  return bf16;
}

// Where a kernel writes `count` numbers, and their bfloat16 copy if products use one.
inline cuda::Written written(const Output& y, std::ptrdiff_t count) {
  if (!y.form || product_precision() != Precision::bf16) return y.data;
  return {y.data, new_bf16(y.form, count)->data()};
}

}  // namespace xf::kernel
