#pragma once

#include <memory>

#include "program/program.hpp"

namespace xf::bench {

// A command whose flags are constructed from the app and add themselves to it.
template <class Flags>
Command command(CLI::App& app, int (*run)(const Flags&, const CommonOptions&)) {
  const auto flags = std::make_shared<Flags>(app);
  return [flags, run](const CommonOptions& common) { return run(*flags, common); };
}

// The subcommands of bench. (program/program.hpp)
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
