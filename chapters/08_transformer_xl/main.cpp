#include "08_transformer_xl/experiments/lesson.hpp"
#include "08_transformer_xl/program/commands.hpp"
#include "speech/show.hpp"

int main(int argc, char** argv) {
  using namespace xf;
  using namespace xf::language;
  const auto lesson = [](const CommonOptions& options) {
    say("Lesson 8. Transformer-XL: relative positions, and a memory of earlier segments");
    lesson_08::the_shift(options);
    lesson_08::four_terms(options);
    lesson_08::no_gradient_into_memory(options);
    lesson_08::recall(options);
    lesson_08::windows(options);
    lesson_08::one_pass(options);
    return 0;
  };
  return run_commands(
      argc, argv,
      "Chapter 8: Transformer-XL. Without a subcommand it runs the lesson, on its own task.",
      "out/08_transformer_xl",
      {{"train", "train a language model on a text; --out is the model directory", add_train,
        Arithmetic::fast, Processes::several},
       {"evaluate", "nats, bits per character and perplexity of a text", add_evaluate,
        Arithmetic::fast, Processes::several},
       {"generate", "continue a prompt", add_generate},
       {"attend", "a web page of the attention of every segment, layer and head", add_attend},
       {"export", "write the parameters as the authors' code names them", add_export},
       {"import", "read parameters with the names of the authors' code into a model directory",
        add_import},
       {"trace", "a web page that steps through one pass of a small model with a memory",
        [](CLI::App&) { return alone(lesson_08::one_pass); }, Arithmetic::same},
       {"ablation", "recurrence on and off, positions relative and absolute, side by side",
        add_ablation},
       {"speed", "cost per token: vanilla evaluation against evaluation by segments", add_speed}},
      lesson, 7);
}
