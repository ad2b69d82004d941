#include <CLI/CLI.hpp>

#include "08_transformer_xl/commands.hpp"
#include "08_transformer_xl/lesson.hpp"
#include "io/show.hpp"

namespace {

int lesson(const xf::CommonOptions& options) {
  xf::say("Lesson 8. Transformer-XL: relative positions, and a memory of the segments before");
  xf::lesson_08::the_shift();
  xf::lesson_08::four_terms(options.seed);
  xf::lesson_08::no_gradient_into_memory(options.seed);
  xf::lesson_08::recall(options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return xf::run_program([&] {
    CLI::App app("Chapter 8: Transformer-XL. Without a subcommand: the lesson, on its own task.");
    xf::CommonOptions options{.out = "out/08_transformer_xl"};
    xf::add_common_options(app, options);
    app.fallthrough();
    using namespace xf::language;
    std::vector<std::pair<CLI::App*, Command>> commands;
    const auto add = [&](const char* name, const char* help, Command (*make)(CLI::App&)) {
      CLI::App* command = app.add_subcommand(name, help);
      command->fallthrough();
      commands.emplace_back(command, make(*command));
    };
    add("train", "train a language model on a text; --out is the model directory", add_train);
    add("evaluate", "nats, bits per character and perplexity of a text", add_evaluate);
    add("generate", "go on with a prompt", add_generate);
    add("ablation", "recurrence on and off, positions relative and absolute, side by side",
        add_ablation);
    add("speed", "what one token costs: vanilla evaluation against segments", add_speed);
    app.require_subcommand(0, 1);
    if (!parse(app, argc, argv, options)) return 0;
    for (const auto& [command, run] : commands)
      if (command->parsed()) return run(options);
    return lesson(options);
  });
}
