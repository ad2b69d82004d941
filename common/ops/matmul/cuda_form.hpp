#pragma once

#include <memory>

#include "cuda/narrow.hpp"
#include "ops/matmul/precision.hpp"
#include "tensor/device.hpp"

// The bfloat16 copy of a tensor on a GPU, row-major, for products of that precision. A kernel whose
// result is an input of products writes both, which saves a kernel that converts.
namespace xf::kernel {

using Form = cuda::Buffer<cuda::Bfloat16>;

// The bfloat16 numbers already kept there; null where there are none.
inline std::shared_ptr<Form> form_in(const std::shared_ptr<void>* place) {
  return place ? std::static_pointer_cast<Form>(*place) : nullptr;
}

// Memory for `count` of them, kept in `place`, if there is one.
inline std::shared_ptr<Form> new_form(std::shared_ptr<void>* place, std::ptrdiff_t count) {
  const auto form = std::make_shared<Form>(static_cast<std::size_t>(count));
  if (place) *place = form;
  return form;
}

// Where a kernel writes `count` numbers, and their bfloat16 copy if products use one.
inline cuda::Written written(const Output& y, std::ptrdiff_t count) {
  if (!y.form || product_precision() != Precision::bf16) return y.data;
  return {y.data, new_form(y.form, count)->data()};
}

}  // namespace xf::kernel
