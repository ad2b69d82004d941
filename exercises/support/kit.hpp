#pragma once

// What every exercise and its test may use: the engine, xtensor, and the comparer. It is
// precompiled, so that an edit is judged in about a second.

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "nn/linear.hpp"
#include "nn/parameters.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/embedding/embedding.hpp"
#include "ops/heads/heads.hpp"
#include "ops/layer_norm/layer_norm.hpp"
#include "ops/linear/linear.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/relative_shift/relative_shift.hpp"
#include "ops/shape/shape_ops.hpp"
#include "ops/softmax/softmax.hpp"
#include "tensor/random.hpp"
#include "tensor/xt.hpp"
#include "tensor/xt_linalg.hpp"

namespace xf::exercise {

// Ends a function that is still to be written. `where` is the exercise and its file.
[[noreturn]] void TODO(const std::string& where);

// Normal numbers, the same on every machine.
Tensor random(const Shape& shape, std::uint64_t seed, float deviation = 1);
template <std::size_t N>
xt::xtensor<float, N> random_xt(const Shape& shape, std::uint64_t seed, float deviation = 1) {
  return to_xt<N>(random(shape, seed, deviation));
}

// Passes when the shapes are equal and |expected - actual| <= 1e-5 + 1e-4 |expected| everywhere.
void compare(const std::string& name, const Tensor& expected, const Tensor& actual);
template <std::size_t N>
void compare(const std::string& name, const Tensor& expected, const xt::xtensor<float, N>& actual) {
  compare(name, expected, from_xt(actual));
}
// A claim that is true or false.
void expect(const std::string& claim, bool holds);

}  // namespace xf::exercise
