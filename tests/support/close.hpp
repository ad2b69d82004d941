#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/errors.hpp"
#include "tensor/tensor.hpp"

namespace xf::test {

// How far the float32 engine may be from a float64 reference, relative to the tensor's largest
// number. Measured: every op is below 1e-6, every layer and model below 5e-6.
constexpr double parity = 1e-5;
constexpr double trajectory = 1e-4;  // after ten updates

using Inputs = std::vector<Tensor>;  // of an op

// Said without braces, so that a call with it fits a line.
template <class... Sizes>
Tensor zeros(Sizes... sizes) {
  return Tensor::zeros({sizes...});
}

double largest(const Tensor& x);

// "[1, 2]": where the number `flat` of a tensor stands.
std::string index_text(const Shape& shape, std::ptrdiff_t flat);

// Empty when max |got - want| <= tolerance * size; otherwise one line that names the first
// element beyond that, and the worst ratio. `size` is max |want| unless it is given.
std::string difference(const std::string& what, const Tensor& got, const Tensor& want,
                       double tolerance = parity, double size = -1);

void expect_close(const std::string& what, const Tensor& got, const Tensor& want,
                  double tolerance = parity, double size = -1);

// Equal numbers (a NaN equals nothing).
void expect_same(const std::string& what, const Tensor& got, const Tensor& want);

}  // namespace xf::test
