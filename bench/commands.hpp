#pragma once

#include <memory>

#include "program/program.hpp"

namespace xf::bench {

// The subcommands of bench. Each adds its flags to the app; the returned function runs it after the
// command line has been read, and returns the exit code.
using Command = std::function<int(const CommonOptions&)>;

Command add_train(CLI::App& app);
Command add_decode(CLI::App& app);
Command add_translate(CLI::App& app);
Command add_ops(CLI::App& app);
Command add_scaling(CLI::App& app);
Command add_xl(CLI::App& app);
Command add_roofline(CLI::App& app);
Command add_products(CLI::App& app);
Command add_steps(CLI::App& app);

}  // namespace xf::bench
