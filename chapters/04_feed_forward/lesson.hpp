#pragma once

#include "program/program.hpp"

namespace xf::lesson_04 {

// The sections of lesson 4, in order. Each states its claims as comparisons.

// lesson_layer.cpp: what the layer computes, and that it is a 1x1 convolution.
void the_layer(const CommonOptions& options);
void positions_alike(std::uint64_t seed);
// lesson_activation.cpp: why an activation is needed, the three in use, units that never fire.
void three_activations(const CommonOptions& options);
void dead_units(std::uint64_t seed);
// lesson_cost.cpp: where the parameters and the arithmetic are.
void parameter_share();
void arithmetic_share(const CommonOptions& options);
// lesson_dropout.cpp: dropout in training, at inference, and forgotten.
void dropout_modes(std::uint64_t seed);
void dropout_mistakes(std::uint64_t seed);
// lesson_trained.cpp: without the activation, and at other widths.
void trained_widths(std::uint64_t seed);
// lesson_overfitting.cpp: dropout against overfitting.
void dropout_against_overfitting(std::uint64_t seed);

}  // namespace xf::lesson_04
