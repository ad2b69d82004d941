#pragma once

#include <string>

#include "program/program.hpp"

namespace xf::lesson_05 {

// The subcommands of 05_encoder. (program/program.hpp)
Command add_encode(CLI::App& app);
Command add_heads(CLI::App& app);

// --model, for both subcommands.
void add_encoder_flag(CLI::App& app, std::string& path);

}  // namespace xf::lesson_05
