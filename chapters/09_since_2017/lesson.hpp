#pragma once

#include "program/program.hpp"
#include "tensor/random.hpp"

namespace xf::since_2017 {

// Lesson 9, without a subcommand: what has changed in the Transformer since 2017.
int lesson(const CommonOptions& options);

// The sections.
void rotary_section(Random& random);    // 1, lesson_parts.cpp
void rms_norm_section(Random& random);  // 2
void swiglu_section(Random& random);    // 3
void grouped_section(Random& random);   // 4, lesson_attention.cpp
void bytes_section();                   // 5, lesson_tokens.cpp
void choice_section();                  // 6

}  // namespace xf::since_2017
