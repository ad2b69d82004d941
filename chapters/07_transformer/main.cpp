#include "07_transformer/experiments/lesson.hpp"
#include "07_transformer/program/commands.hpp"
#include "speech/show.hpp"

int main(int argc, char** argv) {
  using namespace xf;
  const auto lesson = [](const CommonOptions& options) {
    say("Lesson 7. The full Transformer: a run that fails, its repair, and a translator");
    lesson_07::one_pair(options);
    lesson_07::own_language(options);
    lesson_07::one_pass(options);
    lesson_07::pieces_of_words(options);
    return 0;
  };
  return run_commands(
      argc, argv,
      "Chapter 7: the full Transformer. Without a subcommand it runs the lesson, on embedded data.",
      "out/07_transformer",
      {{"train", "train a translator on sentence pairs; --out is the model directory", add_train,
        Arithmetic::fast, Processes::several},
       {"translate", "translate standard input, one sentence per line", add_translate,
        Arithmetic::fast, Processes::several},
       {"tokens", "show how the model splits standard input into tokens, line by line", add_tokens},
       {"evaluate", "BLEU and perplexity on a parallel text", add_evaluate, Arithmetic::fast,
        Processes::several},
       {"score", "log p(target | source) of every pair of a parallel text", add_score,
        Arithmetic::fast, Processes::several},
       {"attend", "draw the attention of every layer and head for a sentence", add_attend},
       {"export", "write the parameters as PyTorch's torch.nn.Transformer names them", add_export},
       {"import", "read parameters with PyTorch's names into a model directory", add_import},
       {"trace", "a web page that steps through one pass of a small Transformer",
        [](CLI::App&) { return alone(lesson_07::one_pass); }, Arithmetic::same},
       {"merges", "byte pair encoding by hand, beside SentencePiece's",
        [](CLI::App&) { return alone(lesson_07::pieces_of_words); }, Arithmetic::same}},
      lesson, 10);
}
