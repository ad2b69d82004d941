#pragma once

// What every exercise and its test may use: the engine and xtensor. It is
// precompiled, so that an edit is judged in about a second.

#include <doctest/doctest.h>

#include <cmath>

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
#include "support/checks.hpp"
#include "support/dot.hpp"
#include "tensor/xt.hpp"

namespace xf::exercise {

template <std::size_t N>
xt::xtensor<float, N> random_xt(const Shape& shape, std::uint64_t seed, float deviation = 1) {
  return to_xt<N>(random(shape, seed, deviation));
}

template <std::size_t N>
void send_actual(const std::string& name, const xt::xtensor<float, N>& actual) {
  send_actual(name, from_xt(actual));
}

}  // namespace xf::exercise
