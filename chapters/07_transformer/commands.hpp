#pragma once

#include "io/program.hpp"

namespace xf {

// The subcommands of 07_transformer. Each adds its flags to the app; the returned function runs it
// after the command line has been read, and returns the exit code.
using Command = std::function<int(const CommonOptions&)>;

Command add_train(CLI::App& app);
Command add_translate(CLI::App& app);
Command add_evaluate(CLI::App& app);
Command add_score(CLI::App& app);
Command add_attend(CLI::App& app);

}  // namespace xf
