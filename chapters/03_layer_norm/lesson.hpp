#pragma once

#include "03_layer_norm/residual.hpp"
#include "program/program.hpp"

namespace xf::lesson_03 {

struct Options : CommonOptions {
  int layers = 12;  // for the stack of section 6
};

// The sections of the lesson, in order.
void formula(Random& random);
void against_batch_norm(Random& random, const Options& options);
void biased_or_not(Random& random);
void where_is_epsilon();
void keep_the_residual(Random& random);
void depth(const Options& options);
void warm_up(const Options& options);
void without(const Options& options);
void drift(const Options& options);

}  // namespace xf::lesson_03
