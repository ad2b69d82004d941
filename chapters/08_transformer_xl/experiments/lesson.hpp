#pragma once

#include "08_transformer_xl/equations.hpp"
#include "ops/mask.hpp"
#include "program/program.hpp"

namespace xf::lesson_08 {

// The sections of the lesson, in order.
// lesson_shift.cpp
void the_shift(const CommonOptions& options);
void four_terms(const CommonOptions& options);
void no_gradient_into_memory(const CommonOptions& options);
void windows(const CommonOptions& options);  // section 6
// lesson_pictures.cpp: for sections 1, 2 and 3
void draw_shift(const Tensor& x, const Tensor& y, const Mask& mask, const CommonOptions& options);
void draw_terms(const RelativeTerms& terms, const CommonOptions& options);
void draw_reach(const CommonOptions& options);
void draw_layers_reach(const CommonOptions& options);
// lesson_recall.cpp
void recall(const CommonOptions& options);
// lesson_pass.cpp: the last section
void one_pass(const CommonOptions& options);

}  // namespace xf::lesson_08
