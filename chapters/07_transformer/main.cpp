#include <CLI/CLI.hpp>

#include "07_transformer/commands.hpp"
#include "07_transformer/lesson.hpp"

int main(int argc, char** argv) {
  return xf::run_program([&] {
    CLI::App app(
        "Chapter 7: the full Transformer. Without a subcommand: the lesson, on embedded data.");
    xf::CommonOptions options{.out = "out/07_transformer"};
    xf::add_common_options(app, options);
    app.fallthrough();
    const auto subcommand = [&](const char* name, const char* help) {
      CLI::App* command = app.add_subcommand(name, help);
      command->fallthrough();
      return command;
    };
    using namespace xf;
    std::vector<std::pair<CLI::App*, Command>> commands;
    const auto add = [&](const char* name, const char* help, Command (*make)(CLI::App&)) {
      CLI::App* command = subcommand(name, help);
      commands.emplace_back(command, make(*command));
    };
    add("train", "train a translator on sentence pairs; --out is the model directory", add_train);
    add("translate", "translate standard input, a sentence a line", add_translate);
    add("evaluate", "BLEU and perplexity on a parallel text", add_evaluate);
    add("score", "log p(target | source) of every pair of a parallel text", add_score);
    add("attend", "draw the attention of every layer and head for a sentence", add_attend);
    app.require_subcommand(0, 1);
    if (!parse(app, argc, argv, options)) return 0;
    for (const auto& [command, run] : commands)
      if (command->parsed()) return run(options);
    return lesson(options);
  });
}
