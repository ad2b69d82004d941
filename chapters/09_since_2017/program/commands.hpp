#pragma once

#include "program/program.hpp"

namespace xf::since_2017 {

// The subcommands of 09_since_2017. (program/program.hpp)
Command add_generate(CLI::App& app);
Command add_tokens(CLI::App& app);
Command add_ablation(CLI::App& app);  // experiments/command_ablation.cpp

}  // namespace xf::since_2017
