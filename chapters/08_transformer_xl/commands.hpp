#pragma once

#include "io/program.hpp"

namespace xf::language {

// The subcommands of 08_transformer_xl. Each adds its flags to the app; the returned function runs
// it after the command line has been read, and returns the exit code.
using Command = std::function<int(const CommonOptions&)>;

Command add_train(CLI::App& app);
Command add_evaluate(CLI::App& app);
Command add_generate(CLI::App& app);
Command add_ablation(CLI::App& app);
Command add_speed(CLI::App& app);

}  // namespace xf::language
