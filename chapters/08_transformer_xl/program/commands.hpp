#pragma once

#include "program/program.hpp"

namespace xf::language {

// The subcommands of 08_transformer_xl. (program/program.hpp)
Command add_train(CLI::App& app);
Command add_evaluate(CLI::App& app);
Command add_generate(CLI::App& app);
Command add_attend(CLI::App& app);
Command add_export(CLI::App& app);
Command add_import(CLI::App& app);
Command add_ablation(CLI::App& app);
Command add_speed(CLI::App& app);

}  // namespace xf::language
