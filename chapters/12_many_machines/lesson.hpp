#pragma once

#include "program/program.hpp"
#include "tensor/random.hpp"

namespace xf::many_machines {

// Lesson 12, without a subcommand. Its sections:
int lesson(const CommonOptions& options);

void adding_section(Random& random);                // 1, lesson_gradients.cpp
void order_section(Random& random);                 // 2
void waiting_section();                             // 3, lesson_messages.cpp
void ways_section(const CommonOptions& options);    // 4
void cost_section();                                // 5, lesson_costs.cpp
void overlap_section();                             // 6
void scaling_section(const CommonOptions& options,  // 7
                     Random& random);
void noise_section(Random& random);  // 8, lesson_batches.cpp
void memory_section();               // 9

}  // namespace xf::many_machines
