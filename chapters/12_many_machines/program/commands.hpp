#pragma once

#include "program/program.hpp"

namespace xf::many_machines {

// The subcommand of 12_many_machines. (program/program.hpp)
Command add_measure(CLI::App& app);

}  // namespace xf::many_machines
