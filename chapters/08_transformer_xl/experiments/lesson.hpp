#pragma once

#include "io/program.hpp"

namespace xf::lesson_08 {

// The sections of the lesson, in order. Each throws where one of its claims is false.
// lesson_shift.cpp
void the_shift();
void four_terms(std::uint64_t seed);
void no_gradient_into_memory(std::uint64_t seed);
// lesson_recall.cpp
void recall(const CommonOptions& options);

}  // namespace xf::lesson_08
