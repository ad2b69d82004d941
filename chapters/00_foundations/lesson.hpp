#pragma once

#include "program/program.hpp"

namespace xf::lesson_00 {

// The sections of the lesson, in order.
void training(const CommonOptions& options);
void fitting(const CommonOptions& options);
void loss_curves(const CommonOptions& options);
// For section 1, lesson_graph.cpp.
void computation_graph(const CommonOptions& options);

}  // namespace xf::lesson_00
