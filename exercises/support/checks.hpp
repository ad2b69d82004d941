#pragma once

// The comparer. Apart from kit.hpp, so that its own source compiles without xtensor.

#include <string>

#include "tensor/random.hpp"
#include "tensor/tensor.hpp"

namespace xf::exercise {

// Ends a function that is still to be written. `where` is the exercise and its file.
[[noreturn]] void TODO(const std::string& where);

// Normal numbers, the same on every machine.
Tensor random(const Shape& shape, std::uint64_t seed, float deviation = 1);

// Passes when the shapes are equal and |expected - actual| <= 1e-5 + 1e-4 |expected| everywhere.
void compare(const std::string& name, const Tensor& expected, const Tensor& actual);
// The same for a gradient: one that never arrived (an undefined Tensor) is called by its name.
void compare_gradient(const std::string& name, const Tensor& expected, const Tensor& actual);
// A claim that is true or false.
void expect(const std::string& claim, bool holds);

}  // namespace xf::exercise
