#pragma once

#include "02_attention/multi_head_attention.hpp"
#include "program/program.hpp"

namespace xf::lesson_02 {

struct Options : CommonOptions {
  float mask_value = -10.0f;  // the "minus infinity" of the additive masks of section 4
  bool time = false;          // time attention as well as counting its operations
};

// The sections of the lesson, in order.
void step_by_step(const Options& options);
void blocks(const Options& options);  // the picture of it, lesson_blocks.cpp
void wrong_axis();
void why_scale(Random& random, const Options& options);
void scale_and_mask(Random& random, const Options& options);
void masks();
void nothing_to_attend_to();
void heads(Random& random);
void order_of_words(Random& random);
void cost(Random& random, const Options& options);
void waiting(const Options& options);  // its second half, lesson_parallel.cpp
void one_matrix(Random& random, const Options& options);
void recurrent(const Options& options);
void alignment(const Options& options);

}  // namespace xf::lesson_02
