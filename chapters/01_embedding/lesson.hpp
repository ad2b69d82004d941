#pragma once

#include "01_embedding/positional_encoding.hpp"
#include "program/program.hpp"

namespace xf::lesson_01 {

struct Options : CommonOptions {
  PositionLayout layout = PositionLayout::interleaved;  // for section 3 and the pictures
  std::string layout_name = "interleaved";
  int d_model = 64;  // of the pictures
};

// The sections of the lesson, in order.
void lookup(Random& random);
void embedding_scale(Random& random);
void position_encoding(const Options& options);
void layouts();
void rotation(Random& random);
void dot_products(const Options& options);
void learned_positions(Random& random);
// For sections 3 and 6, lesson_pictures.cpp.
void clock_hands(const Options& options);
void gradient_of_each_hand(const Options& options);

}  // namespace xf::lesson_01
