#pragma once

// The only file that includes xtensor directly. Everything else includes this one instead.

#if __has_include(<xtensor/containers/xadapt.hpp>)  // xtensor 0.26 and later
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/containers/xtensor.hpp>
#include <xtensor/core/xmath.hpp>
#include <xtensor/views/xview.hpp>
#else
#include <xtensor/xstorage.hpp>

// For clang 19, a vector of xtensor matches two of its specialisations, which is ambiguous.
template <class X, class T, std::size_t N>
struct xt::rebind_container<X, xt::svector<T, N, std::allocator<T>, true> > {
  using type = xt::svector<X, N, std::allocator<X>, true>;
};

#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>
#endif

#include <array>
#include <string>

#include "tensor/tensor.hpp"

namespace xf {

// A copy of `tensor` as an xtensor of static rank N, the type in which the lessons and tests write
// their formulas. Throws std::invalid_argument when the rank is not N.
template <std::size_t N>
xt::xtensor<float, N> to_xt(const Tensor& tensor) {
  if (tensor.rank() != static_cast<int>(N))
    throw std::invalid_argument("to_xt: rank " + std::to_string(N) + " wanted, the shape is " +
                                tensor.shape().str());
  std::array<std::size_t, N> shape{};
  for (std::size_t axis = 0; axis < N; ++axis)
    shape[axis] = static_cast<std::size_t>(tensor.size(static_cast<int>(axis)));
  xt::xtensor<float, N> array(shape);
  std::ranges::copy(tensor.values(), array.data());
  return array;
}

// The reverse copy.
template <std::size_t N>
Tensor from_xt(const xt::xtensor<float, N>& array) {
  Shape shape;
  for (std::size_t size : array.shape()) shape.append(static_cast<int>(size));
  return Tensor::from(shape, std::span<const float>(array.data(), array.size()));
}

}  // namespace xf
