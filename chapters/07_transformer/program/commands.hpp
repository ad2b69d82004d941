#pragma once

#include "program/program.hpp"

namespace xf {

// The subcommands of 07_transformer. (program/program.hpp)
Command add_train(CLI::App& app);
Command add_translate(CLI::App& app);
Command add_tokens(CLI::App& app);
Command add_evaluate(CLI::App& app);
Command add_score(CLI::App& app);
Command add_attend(CLI::App& app);
Command add_export(CLI::App& app);
Command add_import(CLI::App& app);

}  // namespace xf
