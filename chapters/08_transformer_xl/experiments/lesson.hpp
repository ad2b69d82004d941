#pragma once

#include "io/program.hpp"

namespace xf {

namespace lesson_08 {

// The sections of the lesson, in order.
// lesson_shift.cpp
void the_shift();
void four_terms(std::uint64_t seed);
void no_gradient_into_memory(std::uint64_t seed);
void windows();  // the last section
// lesson_recall.cpp
void recall(const CommonOptions& options);

}  // namespace lesson_08

// The lesson of chapter 8. Returns the exit code; throws when something it claims does not hold.
int lesson(const CommonOptions& options);

}  // namespace xf
