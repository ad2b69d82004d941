#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "commands.hpp"

int main(int argc, char** argv) {
  return xf::run_program([&] {
    CLI::App app("How fast the chapters' own models train and translate on this machine.");
    xf::CommonOptions options{.seed = 0, .out = "out/bench"};
    xf::add_common_options(app, options);
    using namespace xf::bench;
    std::vector<std::pair<CLI::App*, xf::Command>> commands;
    const auto add = [&](const char* name, const char* help, xf::Command (*make)(CLI::App&)) {
      CLI::App* command = app.add_subcommand(name, help);
      commands.emplace_back(command, make(*command));
    };
    add("train", "training steps: target tokens per second, without padding", add_train);
    add("decode", "translation of random sentences: generated tokens per second", add_decode);
    add("translate", "translation of a text with a model directory: tokens per second",
        add_translate);
    add("ops", "where the time of a training step goes, op by op", add_ops);
    add("scaling", "the time of a step against sentences, layers, length and threads", add_scaling);
    add("xl", "training steps of chapter 8: tokens of the segments per second", add_xl);
    add("roofline", "what memory and arithmetic allow, and how close the ops come", add_roofline);
    add("products", "matrix products of many shapes against OpenBLAS", add_products);
    add("steps", "what the kernels of chapter 11 require of a GPU, counted by the emulator",
        add_steps);
    app.require_subcommand(1);
    if (!xf::parse(app, argc, argv, options)) return 0;
    xf::set_arithmetic(options.arithmetic.value_or(xf::Arithmetic::fast));
    for (const auto& [command, run] : commands)
      if (command->parsed()) {
        if (command->get_name() != "train" && command->get_name() != "xl")
          xf::refuse_others(command->get_name());
        return run(options);
      }
    return 0;
  });
}
